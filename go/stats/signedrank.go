package stats

import "math"

// exactRanks is up to how many values the signed-rank test is exact.
const exactRanks = 200

// SignedRank is the two-sided P of Wilcoxon's signed-rank test: how often, were
// each value's sign a coin's toss, the sum of the ranks of the positive ones
// would be as far from its mean as it is or farther. Zeros are left out and
// equal magnitudes share the mean of their ranks. Up to 200 values it is exact,
// ties included; beyond, by the normal distribution.
func SignedRank(values []float64) float64 {
	var signed []float64
	for _, v := range values {
		if v != 0 {
			signed = append(signed, v)
		}
	}
	n := len(signed)
	if n == 0 {
		return 1
	}
	doubled := doubledRanks(signed)
	positive, total := 0, 0
	for i, v := range signed {
		total += doubled[i]
		if v > 0 {
			positive += doubled[i]
		}
	}
	off := max(2*positive-total, total-2*positive) // from the mean, times four
	if n > exactRanks {
		var squares float64
		for _, d := range doubled {
			squares += float64(d) * float64(d)
		}
		return math.Erfc(float64(off) / math.Sqrt(2*squares))
	}
	return exactTails(doubled, off)
}

// doubledRanks are twice the ranks of the magnitudes, which ties make halves.
func doubledRanks(values []float64) []int {
	magnitudes := make([]float64, len(values))
	for i, v := range values {
		magnitudes[i] = math.Abs(v)
	}
	out := make([]int, len(values))
	for i, r := range ranks(magnitudes) { // from 0 on
		out[i] = int(math.Round(2*r)) + 2
	}
	return out
}

// exactTails is the part of all 2^n choices of signs whose positive ranks sum
// to at least off/2 above or below half of the total. The sums lie alike on
// both sides, whatever the ranks: so it is twice the lower tail.
func exactTails(doubled []int, off int) float64 {
	total, step := 0, 2
	for _, d := range doubled {
		total += d
		if d%2 != 0 {
			step = 1
		}
	}
	limit := (total - off) / 2 / step // in steps: without ties in the middle, ranks are whole
	ways := make([]float64, limit+1)  // probability of each sum up to it
	ways[0] = 1
	reached := 0
	for _, d := range doubled {
		d /= step
		reached = min(reached+d, limit)
		for s := reached; s >= 0; s-- {
			w := ways[s]
			if s >= d {
				w += ways[s-d]
			}
			ways[s] = w / 2
		}
	}
	p := 0.0
	for _, w := range ways {
		p += w
	}
	return min(2*p, 1)
}
