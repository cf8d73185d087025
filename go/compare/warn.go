package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

var sideNames = [2]string{"old", "new"}

// warnings are the reasons in the documents not to believe their figures.
func warnings(sides [2][]run) (list []result.Note) {
	add := func(code, format string, args ...any) {
		list = append(list, result.Notef(code, format, args...))
	}
	for i, runs := range sides {
		for _, r := range runs {
			name, res := sideNames[i]+": "+r.Name, r.Result
			if n := res.Summary.Total.Failed; n > 0 {
				add("errors", "%s: %s", name, count(n, "I/O failed", "I/Os failed"))
			}
			switch res.End.Reason {
			case "signal":
				add("interrupted", "%s: the run was interrupted", name)
			case "error":
				add("ended", "%s: the run ended in an error: %s", name, orUnknown(res.End.Error))
			}
			if asked := res.Spec.Repeat; asked > 1 && len(r.samples) < asked {
				add("partial", "%s: %d of %d repeats are complete, and only those are compared", name, len(r.samples), asked)
			}
		}
		for _, c := range checks(runs, result.CheckFail) {
			add("check", "%s: the check %s fails in %d of %d documents: %s", sideNames[i], c.code, c.documents, len(runs), c.text)
		}
	}
	return list
}

// grantedAlike warns of settings that differ in what was asked for, and not in
// what the kernel gave: the sides did the same.
func grantedAlike(list []result.Difference, rows []*row) (warnings []result.Note) {
	for _, d := range list {
		name, asked := strings.CutPrefix(d.Path, "spec.")
		if !asked || !d.Between {
			continue
		}
		var given []string
		for _, r := range rows {
			for _, runs := range r.sides {
				if r.whole() {
					given = append(given, values(runs, "granted."+name)...)
				}
			}
		}
		slices.Sort(given)
		if given = slices.Compact(given); len(given) == 1 {
			warnings = append(warnings, result.Notef("granted-alike", "%s: asked for in different ways, and granted alike (%s): the sides do not differ in it", d.Title, given[0]))
		}
	}
	return warnings
}

func orUnknown(s string) string {
	if s == "" {
		return "of which nothing is recorded"
	}
	return s
}

// found is a check in some documents of a side.
type found struct {
	code, text string
	documents  int
}

// checks are those in a state, by code.
func checks(runs []run, state result.CheckState) (list []found) {
	for _, r := range runs {
		for _, c := range r.Result.Checks {
			if c.State != state {
				continue
			}
			i := slices.IndexFunc(list, func(f found) bool { return f.code == c.Code })
			if i < 0 {
				i = len(list)
				list = append(list, found{code: c.Code, text: c.Text})
			}
			list[i].documents++
		}
	}
	return list
}

// notes are what else a reader has to know.
func notes(c *result.Comparison, rows []*row) (list []result.Note) {
	add := func(code, format string, args ...any) {
		list = append(list, result.Notef(code, format, args...))
	}
	if n := fewest(rows); n < minTested {
		add("too-few", "%s on one side: it takes %d on each to show a change, and %d for intervals of the medians: measure each with --repeat %d",
			count(uint64(n), "run", "runs"), minTested, minMedian, minMedian)
	} else if n < minMedian {
		add("few", "%d runs on one side are too few for an interval of their median: that takes %d: measure each with --repeat %d", n, minMedian, minMedian)
	}
	var all [2][]run
	for side, name := range sideNames {
		var warned, lacking []string
		for _, m := range wanted(rows, nil) {
			if n, all := missing(rows, side, &m); n == all {
				lacking = append(lacking, m.Title)
			} else if n > 0 {
				lacking = append(lacking, fmt.Sprintf("%s (in %d of %d runs)", m.Title, n, all))
			}
		}
		if len(lacking) > 0 {
			add("missing", "not measured on the %s side, or 0: %s", name, strings.Join(lacking, ", "))
		}
		for _, r := range rows {
			all[side] = append(all[side], r.sides[side]...)
		}
		for _, f := range checks(all[side], result.CheckWarn) {
			warned = append(warned, fmt.Sprintf("%s (%d of %d)", f.code, f.documents, len(all[side])))
		}
		if len(warned) > 0 {
			add("checks-warn", "checks that warn in documents of the %s side: %s", name, strings.Join(warned, ", "))
		}
	}
	if n := tests(c.Rows); changed(c.Rows) && n >= 20 {
		add("many", "of the %d tests here up to %d would find a change between two sides that are the same: believe what many configurations show, not a single one",
			n, int(math.Round(float64(n)*(1-confidence))))
	}
	if changed(c.Rows) && clustered(rows) {
		add("clustered", "repeats within a document are more alike than those of different documents, and yet each counts for itself: "+
			"the intervals and p promise too much: measure more documents, of fewer repeats")
	}
	if changed(c.Rows) && inBlocks(all) {
		add("in-blocks", "each side was measured in one go, so a machine that drifts looks like a change: measure the first side again, or let ringpeak ab take turns")
	}
	return list
}

// fewest is how many samples the poorer side of a row has that both have.
func fewest(rows []*row) int {
	n := -1
	for _, r := range rows {
		if k := min(r.samples(0), r.samples(1)); r.whole() && (n < 0 || k < n) {
			n = k
		}
	}
	return n
}

// missing is in how many of all samples of a side a metric is not there.
func missing(rows []*row, side int, m *metric.Metric) (n, all int) {
	for _, r := range rows {
		if r.whole() {
			all += r.samples(side)
			n += r.samples(side) - len(r.measured(side, m))
		}
	}
	return n, all
}

// tests is how many changes were judged.
func tests(rows []result.ComparedRow) (n int) {
	for _, r := range rows {
		for _, f := range r.Figures {
			if f.ChangeLow != nil {
				n++
			}
		}
	}
	return n
}

// changed says whether there is a significant change.
func changed(rows []result.ComparedRow) bool {
	for _, r := range rows {
		for _, f := range r.Figures {
			if f.Verdict == result.VerdictBetter || f.Verdict == result.VerdictWorse {
				return true
			}
		}
	}
	return false
}

// clustered says whether documents of a side differ by more than their repeats
// explain, in what comparisons are decided by.
func clustered(rows []*row) bool {
	first := metric.All()[0]
	var strata [][][]float64
	for _, r := range rows {
		for _, runs := range r.sides {
			var groups [][]float64
			for i := range runs {
				if list := runs[i].measured(&first); r.whole() && len(list) > 0 {
					groups = append(groups, list)
				}
			}
			strata = append(strata, groups)
		}
	}
	p, ok := stats.Clustered(strata)
	return ok && p <= 1-confidence
}

// inBlocks says whether all runs of one side were started before all of the
// other. Times of RFC 3339 in UTC are in the order of their texts.
func inBlocks(sides [2][]run) bool {
	first := func(runs []run) string { return slices.MinFunc(runs, byStart).Result.Started }
	last := func(runs []run) string { return slices.MaxFunc(runs, byStart).Result.Started }
	return last(sides[0]) <= first(sides[1]) || last(sides[1]) <= first(sides[0])
}

func byStart(a, b run) int { return strings.Compare(a.Result.Started, b.Result.Started) }

// count is "1 thing" or "2 things".
func count(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
