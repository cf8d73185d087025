package report

import (
	"io"
	"strconv"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// maxInFlight is how many in-flight counts an interval line lists one by one.
const maxInFlight = 16

// Text is the native style: a block with every effective setting, one line per
// interval in the manner of the kernel lists, and a summary.
type Text struct {
	out printer
}

// NewText makes a native reporter on w.
func NewText(w io.Writer) *Text {
	return &Text{out: newPrinter(w)}
}

// Interval writes one line:
//
//	IOPS=7.42M, BW=3.54GiB/s, IOS/call=32.0/31.8, inflight=(75 102)
//
// BW is missing when nothing is read (NOP). IOS/call is submitted and
// completed I/Os per system call. inflight has one count per submitter and
// target, and only sum, minimum and maximum when there are more than 16.
// Failed I/Os and the end of a partial interval follow when there are any.
func (t *Text) Interval(r *result.Result, iv *result.Interval) error {
	rates := stats.IntervalRates(iv)
	b := append(t.out.buf, "IOPS="...)
	b = appendIOPS(b, rates.IOPS)
	if r.Spec.NeedsTarget() {
		b = append(b, ", BW="...)
		b = appendBW(b, rates.BytesPerSecond)
	}
	b = append(b, ", IOS/call="...)
	b = appendIOSPerCall(b, rates, iv.Total.Calls)
	if len(iv.InFlight) > 0 {
		b = append(b, ", inflight=("...)
		b = appendInFlight(b, iv.InFlight)
		b = append(b, ')')
	}
	if c := &iv.Total; c.Failed > 0 {
		b = append(b, ", errors="...)
		b = strconv.AppendUint(b, c.Failed, 10)
		if c.Short > 0 {
			b = append(b, " ("...)
			b = strconv.AppendUint(b, c.Short, 10)
			b = append(b, " short)"...)
		}
	}
	if iv.Partial {
		b = append(b, " (partial, "...)
		b = strconv.AppendFloat(b, float64(iv.LengthNS)/1e9, 'f', 2, 64)
		b = append(b, "s)"...)
	}
	t.out.buf = b
	return t.out.flush()
}

// appendInFlight lists the counts, or their sum and extremes when there are many.
func appendInFlight(b []byte, counts []uint32) []byte {
	if len(counts) <= maxInFlight {
		return appendCounts(b, counts)
	}
	sum, least, most := uint64(0), counts[0], counts[0]
	for _, n := range counts {
		sum += uint64(n)
		least, most = min(least, n), max(most, n)
	}
	b = append(b, "sum "...)
	b = strconv.AppendUint(b, sum, 10)
	b = append(b, ", "...)
	b = strconv.AppendUint(b, uint64(least), 10)
	b = append(b, " to "...)
	b = strconv.AppendUint(b, uint64(most), 10)
	b = append(b, " in each of "...)
	return strconv.AppendInt(b, int64(len(counts)), 10)
}

// appendCounts lists the counts with a space between them.
func appendCounts(b []byte, counts []uint32) []byte {
	for i, n := range counts {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	return b
}
