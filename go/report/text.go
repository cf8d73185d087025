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
	out    printer
	line   group // of the next line
	repeat group // the present repeat
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
// Failed I/Os, the end of a partial interval and the word warm-up follow when
// there are any.
//
// Intervals shorter than 100 ms share a line. A repeat has a line of its own
// when it is over, and none for its intervals if it is shorter than 10 s.
func (t *Text) Interval(r *result.Result, iv *result.Interval) error {
	if !t.line.follows(iv) {
		t.endLine(r, true)
	}
	if !t.repeat.follows(iv) {
		t.endRepeat(r)
	}
	if iv.Repeat > 0 && !iv.Warmup {
		t.repeat.add(iv)
	}
	if n := perLine(&r.Spec, iv); n > 0 {
		if t.line.add(iv); t.line.n >= n {
			t.line.partial = t.line.partial && n == 1 // a stump among others is no matter
			t.endLine(r, false)
		}
	}
	return t.out.err
}

// endLine writes the line of the intervals that wait for it, if there are any.
// One that is short of some says how long it is.
func (t *Text) endLine(r *result.Result, short bool) {
	g := t.line
	t.line = group{}
	if g.n == 0 {
		return
	}
	g.partial = g.partial || short
	b := t.appendGroup(t.out.buf, r, &g)
	if g.warmup {
		b = append(b, " (warm-up)"...)
	}
	t.out.buf = b
	t.out.flush()
}

// endRepeat writes the line of a repeat that is over:
//
//	repeat 3/5: IOPS=7.42M, …
func (t *Text) endRepeat(r *result.Result) {
	g := t.repeat
	t.repeat = group{}
	if g.n == 0 {
		return
	}
	b := append(t.out.buf, "repeat "...)
	b = strconv.AppendInt(b, int64(g.repeat), 10)
	b = append(b, '/')
	b = strconv.AppendInt(b, int64(r.Spec.Repeat), 10)
	b = append(b, ": "...)
	g.partial = g.partial && g.lengthNS < r.Spec.RuntimeNS
	t.out.buf = t.appendGroup(b, r, &g)
	t.out.flush()
}

func (t *Text) appendGroup(b []byte, r *result.Result, g *group) []byte {
	rates := stats.CounterRates(g.total, g.lengthNS)
	b = append(b, "IOPS="...)
	b = appendIOPS(b, rates.IOPS)
	if r.Spec.NeedsTarget() {
		b = append(b, ", BW="...)
		b = appendBW(b, rates.BytesPerSecond)
	}
	b = append(b, ", IOS/call="...)
	b = appendIOSPerCall(b, rates, g.total.Calls)
	if len(g.inFlight) > 0 {
		b = append(b, ", inflight=("...)
		b = appendInFlight(b, g.inFlight)
		b = append(b, ')')
	}
	if c := &g.total; c.Failed > 0 {
		b = append(b, ", errors="...)
		b = strconv.AppendUint(b, c.Failed, 10)
		if c.Short > 0 {
			b = append(b, " ("...)
			b = strconv.AppendUint(b, c.Short, 10)
			b = append(b, " short)"...)
		}
	}
	if g.partial {
		b = append(b, " (partial, "...)
		b = strconv.AppendFloat(b, float64(g.lengthNS)/1e9, 'f', 2, 64)
		b = append(b, "s)"...)
	}
	return b
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
