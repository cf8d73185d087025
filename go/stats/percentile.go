package stats

import "ringpeak/go/result"

// Percentile is the latency that p percent of all samples do not exceed, p
// above 0 and up to 100, by the same rule as the percentiles of Latency. It is
// not ok when there are no samples, or when that rank falls among those above
// the histogram's range.
func Percentile(h *result.Histogram, p float64) (ns int64, ok bool, err error) {
	if h == nil {
		return 0, false, nil
	}
	hdr, err := importHistogram(h)
	if err != nil {
		return 0, false, err
	}
	samples := float64(hdr.TotalCount())
	if samples == 0 {
		return 0, false, nil
	}
	p *= (samples + float64(h.Over)) / samples
	if p > 100 {
		return 0, false, nil
	}
	return hdr.ValueAtPercentile(p), true, nil
}
