package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ringpeak/go/metric"
	"ringpeak/go/result"
)

// AB is the text of a comparison in pairs: what is compared, a line per pair
// while it goes on, and the outcome.
type AB struct {
	out printer
}

// NewAB makes one on w.
func NewAB(w io.Writer) *AB { return &AB{out: newPrinter(w)} }

// Started writes what is going to be compared, and how long that takes.
func (t *AB) Started(r *result.AB) error {
	text := Text{out: t.out}
	text.identity(&result.Result{Tool: r.Tool, Command: r.Command, System: r.System})
	t.out = text.out // with its error
	p := &r.Plan
	for i := range r.Arms {
		a := &r.Arms[i]
		what := printable(a.Flags)
		if what == "" {
			what = "the common flags"
		}
		t.out.items("arm "+a.Name, what, prefixed("binary=", printable(a.Binary)))
	}
	if p.Switch != "" {
		t.out.linef("%s%s", pad("switch", labelWidth), printable(p.Switch))
		t.out.linef("%s%s", pad("undo", labelWidth), printable(p.Undo))
	}
	pairs := fmt.Sprintf("%d pairs", p.Pairs)
	if p.Precision != nil {
		pairs = fmt.Sprintf("until ±%s, at most %d pairs", metric.Percent(*p.Precision), p.Pairs)
	}
	t.out.items("plan", pairs, "slice="+duration(p.SliceNS), "settle="+duration(p.SettleNS), fmt.Sprintf("seed=%d", p.Seed),
		"started="+r.Started, "about "+duration(planned(r))+" if all goes well")
	t.out.linef("")
	return t.out.err
}

// planned is how long a comparison takes, in nanoseconds, in whole seconds: its
// slices and what it takes to start and end one.
func planned(r *result.AB) int64 {
	const startAndEnd = 50 * time.Millisecond
	one := time.Duration(r.Plan.SliceNS+r.Plan.SettleNS) + startAndEnd
	return int64((one * time.Duration(r.Plan.Pairs*len(r.Arms))).Round(time.Second))
}

// Paired writes a line:
//
//	pair  7/20 ba  a=11.92M b=12.10M  b/a +1.5%  so far +1.4% (+0.9% to +1.8%)
//
// The letters are the order in which the arms were measured. With several arms
// after the first, what stands in brackets is the estimate so far. The first
// line is preceded by the settings of the arms, which are known then.
func (t *AB) Paired(r *result.AB) error {
	if r.Pairs == 1 {
		t.settings(r)
	}
	digits := len(strconv.Itoa(r.Plan.Pairs))
	b := fmt.Appendf(t.out.buf, "pair %*d/%d ", digits, r.Pairs, r.Plan.Pairs)
	values := map[string]float64{}
	for i := range r.Slices {
		if s := &r.Slices[i]; s.Pair == r.Pairs {
			b = append(b, s.Arm...)
			values[s.Arm] = s.Values[deciding]
		}
	}
	b = append(b, ' ')
	for i := range r.Arms {
		b = append(append(append(b, ' '), r.Arms[i].Name...), '=')
		b = appendIOPS(b, values[r.Arms[i].Name])
	}
	first := r.Arms[0].Name
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		e := &o.Effects[0]
		b = fmt.Appendf(b, "  %s/%s %s", o.Arm, first, metric.SignedPercent(100*(values[o.Arm]/values[first]-1)))
		switch {
		case e.Low == nil:
		case len(r.Outcomes) > 1: // a line has no room for more
			b = fmt.Appendf(b, " (%s)", metric.SignedPercent(e.Change))
		default:
			b = fmt.Appendf(b, "  so far %s (%s)", metric.SignedPercent(e.Change), span(e))
		}
	}
	t.out.buf = b
	return t.out.flush()
}

// deciding is the metric by which arms are judged.
const deciding = "iops"

// settings writes what the first arm's slices are like, and of the others what
// is different.
func (t *AB) settings(r *result.AB) {
	var first []string
	for i := range r.Arms {
		a := &r.Arms[i]
		items := armItems(a)
		t.out.linef("arm %s", a.Name)
		written := 0
		for _, item := range items {
			if !slices.Contains(first, item) {
				t.out.linef("%s", item)
				written++
			}
		}
		switch {
		case i == 0:
			first = items
		case written > 0:
		case a.Flags == r.Arms[0].Flags:
			t.out.linef("  the same")
		default: // what the rows do not show, or a target that the first arm has as well
			t.out.linef("  as arm %s, but for its flags", r.Arms[0].Name)
		}
	}
	t.out.linef("")
}

// armItems are the settings of an arm's slices: each a labelled line with those
// that continue it.
func armItems(a *result.ABArm) []string {
	var b bytes.Buffer
	t := NewText(&b)
	if a.Spec == nil || a.Granted == nil || a.Tool == nil {
		return nil
	}
	res := &result.Result{Spec: *a.Spec, Granted: *a.Granted, Targets: a.Targets}
	if a.Binary != "" {
		t.out.items("  binary", a.Tool.Version, prefixed("commit ", a.Tool.Commit), prefixed("liburing ", a.Tool.Liburing), prefixed("core ", short(a.Tool.CoreID)))
	}
	res.Spec.Seed = 0
	t.workload(&res.Spec, &res.Granted)
	t.polling(res)
	t.ring(&res.Spec, &res.Granted)
	t.targets(res)
	text := strings.ReplaceAll(b.String(), ", seed=0", "") // every pair has its own
	var items []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if last := len(items) - 1; last >= 0 && strings.HasPrefix(line, " ") {
			items[last] += "\n" + line
		} else {
			items = append(items, line)
		}
	}
	return items
}

// span is the interval of an effect that has one.
func span(e *result.Effect) string {
	return metric.SignedPercent(*e.Low) + " to " + metric.SignedPercent(*e.High)
}
