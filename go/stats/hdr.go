package stats

import "ringpeak/go/result"

// Cumulative is how many samples of h lie at or below each of some bounds, in
// ascending order, and the sum of all in nanoseconds. A count is exact for a
// bound where a bucket of h ends; else the bucket that the bound is in counts
// below it. The sum is exact to the histogram's digits. Samples above the range
// are below no bound, and enter the sum with the end of the range, which is
// less than they took.
func Cumulative(h *result.Histogram, boundsNS []int64) (counts []uint64, sumNS float64, err error) {
	hdr, err := HDR(h)
	if err != nil {
		return nil, 0, err
	}
	counts = make([]uint64, len(boundsNS))
	at := 0
	var below uint64
	for _, bar := range hdr.Distribution() {
		for ; at < len(boundsNS) && bar.From > boundsNS[at]; at++ {
			counts[at] = below
		}
		below += uint64(bar.Count)
	}
	for ; at < len(boundsNS); at++ {
		counts[at] = below
	}
	if n := hdr.TotalCount(); n > 0 {
		sumNS = hdr.Mean() * float64(n)
	}
	return counts, sumNS + float64(h.Over)*float64(h.HighestNS), nil
}
