package report

import (
	"fmt"
	"math"
	"strconv"

	"ringpeak/go/result"
)

// comparisonTable is one table: of one metric over configurations, or of one
// configuration over metrics.
type comparisonTable struct {
	title string
	lines []comparisonLine
}

// comparisonLine is a line of it, in the order of its columns.
type comparisonLine struct {
	name               string
	old, oldRange      string
	new, newRange      string
	change, interval   string
	p, counts, verdict string
}

func (l *comparisonLine) cells() []string {
	return []string{l.name, l.old, l.oldRange, l.new, l.newRange, l.change, l.interval, l.p, l.counts, l.verdict}
}

// comparisonTables are those that suit how many configurations there are.
func comparisonTables(c *result.Comparison) (list []comparisonTable) {
	var whole []*result.ComparedRow
	for i := range c.Rows {
		if len(c.Rows[i].Figures) > 0 {
			whole = append(whole, &c.Rows[i])
		}
	}
	if len(whole) == 1 {
		t := comparisonTable{}
		if len(c.Rows) > 1 {
			t.title = printable(whole[0].Name)
		}
		for i := range whole[0].Figures {
			f := &whole[0].Figures[i]
			unit, write := columnUnit(f)
			t.lines = append(t.lines, figureLine(f.Title+unit, f, write))
		}
		return append(list, t)
	}
	for _, name := range comparedMetrics(whole) {
		var figures []*result.ComparedFigure
		var names []string
		for _, r := range whole {
			for i := range r.Figures {
				if r.Figures[i].Metric == name {
					figures, names = append(figures, &r.Figures[i]), append(names, printable(r.Name))
				}
			}
		}
		unit, write := columnUnit(figures...)
		t := comparisonTable{title: figures[0].Title + unit}
		for i, f := range figures {
			t.lines = append(t.lines, figureLine(names[i], f, write))
		}
		for _, g := range c.Geomeans {
			if g.Metric == name {
				t.lines = append(t.lines, comparisonLine{name: "geometric mean", change: changePercent(g.Change)})
			}
		}
		list = append(list, t)
	}
	return list
}

// comparedMetrics are those that rows have, in the order of the table of metrics.
func comparedMetrics(rows []*result.ComparedRow) (names []string) {
	seen := map[string]bool{}
	for _, r := range rows {
		for _, f := range r.Figures {
			if !seen[f.Metric] {
				seen[f.Metric] = true
				names = append(names, f.Metric)
			}
		}
	}
	return names
}

func figureLine(name string, f *result.ComparedFigure, write func(float64) string) comparisonLine {
	l := comparisonLine{name: name, counts: fmt.Sprintf("n=%d+%d", len(f.Old.Values), len(f.New.Values))}
	l.old, l.oldRange = medianText(&f.Old, write)
	l.new, l.newRange = medianText(&f.New, write)
	if f.Change == nil {
		return l
	}
	l.change = "~"
	if f.ChangeLow != nil {
		l.interval = "(" + changePercent(*f.ChangeLow) + " to " + changePercent(*f.ChangeHigh) + ")"
	}
	if f.Verdict == result.VerdictBetter || f.Verdict == result.VerdictWorse {
		l.change, l.verdict = changePercent(*f.Change), f.Verdict
	}
	if f.Verdict == result.VerdictSome {
		l.verdict = f.Verdict
	}
	l.p = pText(f.P)
	return l
}

func medianText(m *result.MedianOf, write func(float64) string) (median, interval string) {
	if m.Median == nil {
		return "n/a", ""
	}
	if m.Low != nil {
		interval = "(" + write(*m.Low) + " to " + write(*m.High) + ")"
	}
	return write(*m.Median), interval
}

func pText(p result.OptFloat) string {
	switch {
	case p == nil:
		return ""
	case *p < 0.0005:
		return "p<0.001"
	}
	decimals := 3
	for *p > 0.05 && math.Round(*p*math.Pow10(decimals)) <= 0.05*math.Pow10(decimals) && decimals < 6 {
		decimals++ // not as if it were significant
	}
	return "p=" + strconv.FormatFloat(*p, 'f', decimals, 64)
}

// percentText is a change with its sign; nothing is a change of minus zero.
func percentText(v float64, decimals int) string {
	if math.Abs(v) < 0.5*math.Pow10(-decimals) {
		v = 0
	}
	return fmt.Sprintf("%+.*f%%", decimals, v)
}

// tiny is a change of which more than six decimals would have to be shown.
const tiny = 0.5e-6

// decimalsOf are those of a change: at least so many, and more where it would
// look as if it were none, which the end of an interval must not.
func decimalsOf(v float64, least int) int {
	for math.Abs(v) >= tiny && math.Abs(v) < 0.5*math.Pow10(-least) {
		least++
	}
	return least
}

// changePercent is a change of a table: of large ones the decimals say nothing.
func changePercent(v float64) string {
	switch {
	case math.Abs(v) >= 99.95:
		return percentText(v, 0)
	case math.Abs(v) >= 9.995:
		return percentText(v, 1)
	}
	return percentText(v, decimalsOf(v, 2))
}

func medians(figures []*result.ComparedFigure) (least, most float64) {
	least = math.Inf(1)
	for _, f := range figures {
		for _, m := range []result.OptFloat{f.Old.Median, f.New.Median} {
			if m != nil {
				least, most = min(least, *m), max(most, *m)
			}
		}
	}
	return least, most
}

// columnUnit is the one unit of a column, as the end of its title, and what
// writes figures in it: one that suits the smallest median.
func columnUnit(figures ...*result.ComparedFigure) (string, func(float64) string) {
	least, most := medians(figures)
	plain := func(div float64, decimals int) func(float64) string {
		return func(v float64) string { return strconv.FormatFloat(v/div, 'f', decimals, 64) }
	}
	switch figures[0].Unit {
	case "per_second":
		switch {
		case least >= 99999.5 && most >= 999950:
			return ", M", plain(1e6, 3)
		case most >= 99999.5:
			return ", K", plain(1e3, 1)
		}
		return "", plain(1, 0)
	case "bytes_per_second":
		if least >= gib {
			return ", GiB/s", plain(gib, 2)
		}
		return ", MiB/s", plain(mib, 1)
	case "ns":
		name, write := nanoseconds(least)
		return ", " + name, write
	case "ns_per_io":
		return ", ns", plain(1, 1)
	}
	return "", plain(1, 1)
}

// comparisonSentence is the one to paste.
func comparisonSentence(c *result.Comparison) string {
	var figures []*result.ComparedFigure
	for i := range c.Rows {
		if len(c.Rows[i].Figures) > 0 {
			figures = append(figures, &c.Rows[i].Figures[0])
		}
	}
	if len(figures) == 1 {
		return oneSentence(figures[0])
	}
	tally := map[string]int{}
	for _, f := range figures {
		tally[f.Verdict]++
	}
	text := figures[0].Metric
	for _, g := range c.Geomeans {
		if g.Metric == figures[0].Metric {
			text += " " + changePercent(g.Change) + " in the geometric mean of " + plural(g.Rows, "configuration")
		}
	}
	sep := ": "
	for _, v := range [][2]string{
		{result.VerdictBetter, ""}, {result.VerdictWorse, ""}, {result.VerdictSame, "with "}, {result.VerdictFew, "with "}, {result.VerdictSome, "with values "},
	} {
		if n := tally[v[0]]; n > 0 {
			text += fmt.Sprintf("%s%d %s%s", sep, n, v[1], v[0])
			sep = ", "
		}
	}
	return text
}

func oneSentence(f *result.ComparedFigure) string {
	runs := fmt.Sprintf("%d and %d runs", len(f.Old.Values), len(f.New.Values))
	if f.Change == nil {
		return f.Metric + ": measured on one side only, " + runs
	}
	if f.Verdict == result.VerdictSome {
		return fmt.Sprintf("%s: not measured in all runs, or 0 in some, so nothing to tell: those with it, %s, have %s", f.Metric, runs, percentText(*f.Change, 1))
	}
	if f.ChangeLow == nil {
		return fmt.Sprintf("%s: too few runs to tell (%s), %s", f.Metric, percentText(*f.Change, 1), runs)
	}
	decimals := 1
	if *f.ChangeHigh-*f.ChangeLow < 1 {
		decimals = 2
	}
	if f.Verdict != result.VerdictSame {
		decimals = max(decimalsOf(*f.ChangeLow, decimals), decimalsOf(*f.ChangeHigh, decimals))
	}
	text := fmt.Sprintf("%s (%s to %s), %s, %s", percentText(*f.Change, decimals),
		percentText(*f.ChangeLow, decimals), percentText(*f.ChangeHigh, decimals), pText(f.P), runs)
	if f.Verdict == result.VerdictSame {
		return f.Metric + ": no significant change, " + text
	}
	return f.Metric + " " + text
}
