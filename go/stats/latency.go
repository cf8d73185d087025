package stats

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ringpeak/go/result"
)

// Percentiles are the points at which latency is reported. They are the fixed
// 17 of fio's t/io_uring, in ascending order.
func Percentiles() []float64 {
	return []float64{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99}
}

// Latency summarises a histogram. It is nil when there is nothing in it.
//
// All figures are exact to the histogram's significant digits. Mean, minimum,
// maximum and standard deviation are those of the samples inside the range.
// Samples above it are counted apart in OverRange, yet they take their rank in
// the percentiles: a percentile that falls among them has no known value and
// is left out.
//
// A histogram whose counts do not fit its declared layout is an error: its
// figures would be wrong without looking wrong.
func Latency(h *result.Histogram) (*result.Latency, error) {
	if h == nil {
		return nil, nil
	}
	hdr, err := HDR(h)
	if err != nil {
		return nil, err
	}
	samples := hdr.TotalCount()
	if samples == 0 && h.Over == 0 {
		return nil, nil
	}
	l := &result.Latency{Samples: uint64(samples), OverRange: h.Over, Percentiles: []result.Percentile{}}
	if samples == 0 {
		return l, nil
	}
	l.MeanNS = hdr.Mean()
	l.MinNS = hdr.Min()
	l.MaxNS = hdr.Max()
	l.StdDevNS = hdr.StdDev()
	for _, p := range Percentiles() {
		if ns, ok := valueAt(hdr, h.Over, p); ok {
			l.Percentiles = append(l.Percentiles, result.Percentile{Percent: p, NS: ns})
		}
	}
	return l, nil
}

// MergeHistograms adds histograms of one layout bucket by bucket. Nil ones are
// passed over; it is nil when there is nothing but those. The arguments stay
// as they are.
func MergeHistograms(hs ...*result.Histogram) (*result.Histogram, error) {
	var sum *result.Histogram
	for _, h := range hs {
		switch {
		case h == nil:
		case sum == nil:
			c := *h
			c.Counts = append([]int64(nil), h.Counts...)
			sum = &c
		case !sameLayout(sum, h):
			return nil, fmt.Errorf("merge histograms: layouts differ: %s and %s", layout(sum), layout(h))
		default:
			for i, n := range h.Counts {
				sum.Counts[i] += n
			}
			sum.Over += h.Over
		}
	}
	return sum, nil
}

// HDR is h in the form of the HdrHistogram library, whose values are
// nanoseconds too. Samples above the range are not in it. A histogram whose
// counts do not fit its layout is an error.
func HDR(h *result.Histogram) (*hdrhistogram.Histogram, error) {
	s := hdrhistogram.Snapshot{
		LowestTrackableValue:  h.LowestNS,
		HighestTrackableValue: h.HighestNS,
		SignificantFigures:    int64(h.Digits),
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("latency histogram of %s: %w", layout(h), err)
	}
	if want := len(hdrhistogram.Import(&s).Export().Counts); len(h.Counts) != want {
		return nil, fmt.Errorf("latency histogram of %s: the layout has %d counts", layout(h), want)
	}
	s.Counts = h.Counts
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("latency histogram of %s: %w", layout(h), err)
	}
	return hdrhistogram.Import(&s), nil
}

func sameLayout(a, b *result.Histogram) bool {
	return a.LowestNS == b.LowestNS && a.HighestNS == b.HighestNS &&
		a.Digits == b.Digits && len(a.Counts) == len(b.Counts)
}

func layout(h *result.Histogram) string {
	return fmt.Sprintf("%d to %d ns, %d digits, %d counts", h.LowestNS, h.HighestNS, h.Digits, len(h.Counts))
}
