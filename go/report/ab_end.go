package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"ringpeak/go/metric"
	"ringpeak/go/result"
)

// Finished writes the outcome. Its last line is the one to be pasted.
func (t *AB) Finished(r *result.AB) error {
	t.out.linef("")
	t.measured(r)
	for i := range r.Outcomes {
		t.outcome(r, &r.Outcomes[i])
	}
	t.out.linef("")
	t.out.linef("median of the slices ± half the range of their middle half; median of the pairs' ratios")
	adjusted := ""
	if n := len(r.Outcomes); n > 1 {
		adjusted = fmt.Sprintf(" and raised for %d comparisons (Holm)", n)
	}
	t.out.linef("(95%% interval), p by signed ranks%s; ~ is not significant", adjusted)
	t.out.linef("")
	t.checks(r)
	if r.Noise != nil {
		t.noise(r)
	}
	t.last(r)
	return t.out.err
}

// measured says how far it came.
func (t *AB) measured(r *result.AB) {
	how := map[string]string{
		"precision": "stopped at the precision asked for", "signal": "stopped by a signal", "error": "stopped by an error",
	}[r.End.Reason]
	discarded := 0
	for i := range r.Slices {
		if r.Slices[i].Discarded != "" {
			discarded++
		}
	}
	thrown := ""
	if discarded > 0 {
		thrown = plural(discarded, "slice") + " discarded"
	}
	t.out.items("measured", plural(r.Pairs, "pair"), plural(r.Pairs*len(r.Arms), "slice")+" of "+duration(r.Plan.SliceNS), thrown, how)
}

// outcome writes the figures of an arm beside those of the first.
func (t *AB) outcome(r *result.AB, o *result.ABResult) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "\t%s\t%s\t%s against %s\t\n", o.Against, o.Arm, o.Arm, o.Against)
	for i := range o.Effects {
		e := &o.Effects[i]
		title, write := column(e, armFigure(r, o.Against, e.Metric), armFigure(r, o.Arm, e.Metric))
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", title,
			spread(armFigure(r, o.Against, e.Metric), write), spread(armFigure(r, o.Arm, e.Metric), write), change(e), pValue(e, r.Pairs))
	}
	w.Flush()
	t.out.linef("")
	for line := range strings.Lines(b.String()) {
		t.out.linef("%s", strings.TrimRight(line, " \n"))
	}
}

func armFigure(r *result.AB, arm, metric string) *result.ArmFigure {
	for i := range r.Arms {
		if r.Arms[i].Name != arm {
			continue
		}
		for j := range r.Arms[i].Figures {
			if f := &r.Arms[i].Figures[j]; f.Metric == metric {
				return f
			}
		}
	}
	return &result.ArmFigure{}
}

// titles are the metrics in the words of the summary of a run.
var titles = map[string]string{
	"iops": "IOPS", "bandwidth": "BW", "p50": "p50 latency", "p99": "p99 latency", "p99.9": "p99.9 latency",
	"cpu": "CPU/IO", "system": "system/IO", "instructions": "instructions/IO", "cycles": "cycles/IO",
}

// column is the title of a metric with its unit, and how its values are written:
// both arms' in one unit.
func column(e *result.Effect, a, b *result.ArmFigure) (string, func(float64) string) {
	title := titles[e.Metric]
	largest := max(a.Q3, b.Q3)
	switch e.Unit {
	case "per_second":
		return title, scaled(largest)
	case "bytes_per_second":
		return title, func(v float64) string { return string(appendBW(nil, v)) }
	case "ns", "ns_per_io":
		unit, write := nanoseconds(min(a.Median, b.Median))
		return title + ", " + unit, write
	}
	return title, func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
}

func spread(f *result.ArmFigure, write func(float64) string) string {
	if f.N == 0 {
		return "n/a"
	}
	return fmt.Sprintf("%s ±%s", write(f.Median), metric.Percent(100*(f.Q3-f.Q1)/2/f.Median))
}

func change(e *result.Effect) string {
	if e.Low == nil {
		return "~ " + metric.SignedPercent(e.Change)
	}
	mark := "~ "
	if e.Significant {
		mark = ""
	}
	return mark + metric.SignedPercent(e.Change) + " (" + span(e) + ")"
}

// pValue is P with two digits that count, or why there is none: what not all
// pairs have is not judged.
func pValue(e *result.Effect, pairs int) string {
	switch {
	case e.Pairs < pairs:
		return fmt.Sprintf("in %d of %d pairs", e.Pairs, pairs)
	case e.Low == nil:
		return ""
	}
	return "p=" + strconv.FormatFloat(e.P, 'g', 2, 64)
}

// checks writes those that did not pass in some slices, each once for all arms.
func (t *AB) checks(r *result.AB) {
	var codes []string
	for i := range r.Arms {
		for j := range r.Arms[i].Checks {
			if c := r.Arms[i].Checks[j].Code; !slices.Contains(codes, c) {
				codes = append(codes, c)
			}
		}
	}
	for _, code := range codes {
		state, text := "WARN", ""
		var where []string
		for i := range r.Arms {
			a := &r.Arms[i]
			at := slices.IndexFunc(a.Checks, func(c result.ArmCheck) bool { return c.Code == code })
			if at < 0 {
				continue
			}
			c := &a.Checks[at]
			of := "of"
			if len(where) == 0 {
				of = "slices of"
			}
			where = append(where, fmt.Sprintf("%d of %d %s %s", c.Slices, measuredOf(r, a.Name), of, a.Name))
			if text == "" || c.State == result.CheckFail && state != "FAIL" {
				text = a.Name + ": " + printable(c.Text)
			}
			if c.State == result.CheckFail {
				state = "FAIL"
			}
		}
		t.out.sentence("checks", fmt.Sprintf("%s %s in %s. In %s", state, code, strings.Join(where, ", "), text))
	}
	if len(codes) > 0 {
		t.out.linef("")
	}
}

// measuredOf is how many slices of an arm there are.
func measuredOf(r *result.AB, arm string) (n int) {
	for i := range r.Slices {
		if s := &r.Slices[i]; s.Arm == arm && len(s.Values) > 0 {
			n++
		}
	}
	return n
}

// noise writes what a comparison of the same with itself is for.
func (t *AB) noise(r *result.AB) {
	n := r.Noise
	t.out.sentence("noise", fmt.Sprintf("two arms that are the same come out within ±%s of each other in about 19 of 20 comparisons of %s; single slices spread by %s (standard deviation)",
		metric.Percent(n.Floor), plural(n.Pairs, "pair"), metric.Percent(n.SpreadOfSlices)))
	var sees []string
	for _, d := range n.Detectable {
		sees = append(sees, fmt.Sprintf("%s in %d pairs", metric.Percent(d.Change), d.Pairs))
	}
	t.out.sentence("sees", "the smallest difference that is found in about 4 of 5 comparisons: "+strings.Join(sees, ", "))
	if o := &r.Outcomes[0]; o.Effects[0].Significant {
		t.out.sentence("", "This one shows a difference where there is none. One comparison in twenty does; if it comes again, something favours one arm.")
	}
	t.out.linef("")
}

// last writes the sentences to be pasted, one for each arm after the first.
func (t *AB) last(r *result.AB) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		text := o.Text
		if r.Noise != nil {
			e := &o.Effects[0]
			text = fmt.Sprintf("A/A: %s (95%%: %s), noise floor ±%s, %s", metric.SignedPercent(e.Change), span(e), metric.Percent(r.Noise.Floor), plural(r.Pairs, "pair"))
		}
		t.out.linef("%s%s%s.", upper(text), rate(r, o.Against), rate(r, o.Arm))
	}
}

// rate is what an arm does, and with what: what was compared, where the sentence
// stands alone.
func rate(r *result.AB, arm string) string {
	f := armFigure(r, arm, deciding)
	text := fmt.Sprintf("; %s: %s IOPS", arm, appendIOPS(nil, f.Median))
	for i := range r.Arms {
		if a := &r.Arms[i]; a.Name == arm {
			with := strings.TrimSpace(strings.Join([]string{printable(a.Binary), printable(a.Flags)}, " "))
			if with != "" {
				text += " with " + with
			}
		}
	}
	return text
}

func upper(s string) string {
	if strings.HasPrefix(s, "no ") || strings.HasPrefix(s, "inconclusive") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s // it begins with the letter of an arm
}

// SaveAB writes r to path as one JSON document; see saveAs.
func SaveAB(path string, r *result.AB) error {
	doc, err := marshal(abWithLists(r))
	if err == nil {
		err = save(path, doc)
	}
	return writing(path, err)
}

// abWithLists is r with empty lists in the place of nil ones.
func abWithLists(r *result.AB) *result.AB {
	c := *r
	c.Command, c.Slices, c.Outcomes, c.Notes = filled(c.Command), filled(c.Slices), filled(c.Outcomes), filled(c.Notes)
	c.Arms = append([]result.ABArm{}, c.Arms...)
	for i := range c.Arms {
		a := &c.Arms[i]
		a.Args, a.Targets, a.Checks, a.Figures = filled(a.Args), filled(a.Targets), filled(a.Checks), filled(a.Figures)
		if a.Spec != nil && a.Granted != nil {
			spec, granted := *a.Spec, *a.Granted
			spec.Targets, spec.Assertions = filled(spec.Targets), filled(spec.Assertions)
			granted.SetupFlags = filled(granted.SetupFlags)
			a.Spec, a.Granted = &spec, &granted
		}
	}
	c.Slices = append([]result.Slice{}, c.Slices...)
	for i := range c.Slices {
		if c.Slices[i].Values == nil {
			c.Slices[i].Values = map[string]float64{}
		}
	}
	return &c
}

// WriteAB writes r as one JSON document with one Write, or nothing.
func WriteAB(w io.Writer, r *result.AB) error {
	doc, err := marshal(abWithLists(r))
	if err != nil {
		return err
	}
	return writeAll(w, doc)
}
