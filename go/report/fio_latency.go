package report

import (
	"strconv"

	"ringpeak/go/result"
)

// latency writes the percentile block of t/io_uring: microseconds, rounded up,
// when the lowest percentile is above 2000 ns and the highest above 99999 ns,
// else nanoseconds; as many in a row as fit 80 columns at the width of the
// largest value, which is five digits at least.
func (f *Fio) latency(r *result.Result) {
	f.out.linef("%d: Latency percentiles:", tid(r, 0))
	if r.Latency == nil || len(r.Latency.Percentiles) == 0 {
		f.out.linef("    percentiles (nsec): n/a")
		f.over(r)
		return
	}
	points := r.Latency.Percentiles
	unit, divisor := "nsec", int64(1)
	low, high := extremes(points)
	if low > 2000 && high > 99999 {
		unit, divisor = "usec", 1000
	}
	width := max(5, len(strconv.FormatInt(high/divisor, 10)))
	perLine := (80 - 7) / (4 + 10 + width)
	f.out.linef("    percentiles (%s):", unit)
	f.out.buf = append(f.out.buf, "     |"...)
	for i, p := range points {
		if i > 0 && i%perLine == 0 {
			f.out.buf = append(f.out.buf, "     |"...)
		}
		f.out.buf = appendPercentile(f.out.buf, p, divisor, width)
		last := i == len(points)-1
		if !last {
			f.out.buf = append(f.out.buf, ',')
		}
		if last || i%perLine == perLine-1 {
			f.out.flush()
		}
	}
	f.over(r)
}

// over is a line that t/io_uring has not: it puts such samples into its last
// bucket.
func (f *Fio) over(r *result.Result) {
	if over := overRange(r); over != "" {
		f.out.linef("     | %s", over)
	}
}

// appendPercentile is " %7.4fth=[%*d]".
func appendPercentile(b []byte, p result.Percentile, divisor int64, width int) []byte {
	b = append(b, ' ')
	b = appendRight(b, strconv.FormatFloat(p.Percent, 'f', 4, 64), 7)
	b = append(b, "th=["...)
	b = appendRight(b, strconv.FormatInt((p.NS+divisor-1)/divisor, 10), width)
	return append(b, ']')
}

func appendRight(b []byte, s string, width int) []byte {
	for range width - len(s) {
		b = append(b, ' ')
	}
	return append(b, s...)
}

func extremes(points []result.Percentile) (low, high int64) {
	low, high = points[0].NS, points[0].NS
	for _, p := range points {
		low, high = min(low, p.NS), max(high, p.NS)
	}
	return low, high
}
