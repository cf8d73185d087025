package stats

import "github.com/aclements/go-moremath/mathx"

// Clustered is the P of values within a group being no more alike than those
// of different groups: one-way analysis of variance of ranks (Conover and Iman,
// The American Statistician 35, 1981), within each stratum, the sums of squares
// and the degrees of freedom of strata added up. With F the mean square between
// groups over the one within them, of d1 and d2 degrees of freedom,
//
//	P = I(d2 / (d2 + d1 F); d2/2, d1/2)
//
// where I is the regularised incomplete beta function. Not ok where no group
// has several values beside another one.
func Clustered(strata [][][]float64) (p float64, ok bool) {
	between, within, d1, d2 := 0.0, 0.0, 0, 0
	for _, groups := range strata {
		var all []float64
		for _, g := range groups {
			all = append(all, g...)
		}
		if len(groups) < 2 || len(all) == len(groups) {
			continue
		}
		places := ranks(all)
		grand := float64(len(all)-1) / 2
		at := 0
		for _, g := range groups {
			of := places[at : at+len(g)]
			at += len(g)
			mean := 0.0
			for _, r := range of {
				mean += r / float64(len(of))
			}
			between += float64(len(of)) * (mean - grand) * (mean - grand)
			for _, r := range of {
				within += (r - mean) * (r - mean)
			}
		}
		d1 += len(groups) - 1
		d2 += len(all) - len(groups)
	}
	if d1 == 0 || between+within == 0 {
		return 1, false
	}
	// d2 / (d2 + d1 F) is within / (within + between).
	return mathx.BetaInc(within/(within+between), float64(d2)/2, float64(d1)/2), true
}
