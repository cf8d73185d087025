package stats

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ringpeak/go/result"
)

// Percentile is the latency that p percent of all samples do not exceed, p
// above 0 and up to 100, by the same rule as the percentiles of Latency. It is
// not ok when there are no samples, or when that rank falls among those above
// the histogram's range.
func Percentile(h *result.Histogram, p float64) (ns int64, ok bool, err error) {
	if h == nil {
		return 0, false, nil
	}
	hdr, err := HDR(h)
	if err != nil {
		return 0, false, err
	}
	ns, ok = valueAt(hdr, h.Over, p)
	return ns, ok, nil
}

// valueAt is the value of the sample with the rank ⌈p/100 × n⌉ among all n
// samples, those above the range included; not ok without samples, or when it
// is one of those. (The library rounds the rank to the nearest, which leaves
// up to half a sample too many above the value.)
func valueAt(hdr *hdrhistogram.Histogram, over uint64, p float64) (ns int64, ok bool) {
	in := float64(hdr.TotalCount())
	exact := p / 100 * (in + float64(over))
	rank := math.Ceil(exact)
	if near := math.Round(exact); math.Abs(exact-near) <= 1e-9*near {
		rank = near // 99.9 % of 1000 are 999, whatever the rounding of the product
	}
	if rank = max(rank, 1); rank > in {
		return 0, false
	}
	return hdr.ValueAtPercentile(100 * rank / in), true
}
