package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/spelling"
)

// Condition is one of --fail-if: a metric, an operator, and a change in
// percent that is not to be passed.
type Condition struct {
	text   string
	metric string
	op     string
	limit  float64 // percent
}

const form = "write METRIC OPERATOR CHANGE, as in 'iops < -2%'"

// ParseCondition reads one. Blanks around its three parts do not matter. Its
// errors are *result.Error with status 2.
func ParseCondition(text string) (Condition, error) {
	fail := func(format string, args ...any) (Condition, error) {
		return Condition{}, result.Errorf(result.StatusUsage, "--fail-if %q: %s", text, fmt.Sprintf(format, args...))
	}
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return fail("an operator is missing: %s", form)
	}
	c := Condition{text: text, metric: strings.TrimSpace(text[:at])}
	rest := strings.TrimLeft(text[at:], "<>=!")
	c.op = strings.TrimSpace(text[at : len(text)-len(rest)])
	switch {
	case c.metric == "":
		return fail("a metric is missing: %s", form)
	case metric.ByName(c.metric) == nil:
		meant := ""
		if near := spelling.Nearest(strings.ToLower(c.metric), metric.Names()); near != "" {
			meant = "did you mean " + near + "? "
		}
		return fail("there is no metric %q: %sthere are %s", c.metric, meant, strings.Join(metric.Names(), ", "))
	case !slices.Contains([]string{"<", "<=", ">", ">="}, c.op):
		return fail("%q is no operator: there are <, <=, > and >=", c.op)
	}
	number, signed := strings.CutSuffix(strings.TrimSpace(rest), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !signed || err != nil || strings.Trim(number, " +-.0123456789") != "" {
		return fail("%q is not a change in percent: write -2%% or +5%%", strings.TrimSpace(rest))
	}
	if v <= -100 {
		return fail("no change is as low as %g%%: nothing falls by more than all of it", v)
	}
	c.limit = v
	return c, nil
}

// beyond says whether all of an interval lies beyond the limit.
func (c *Condition) beyond(low, high float64) bool {
	switch c.op {
	case "<":
		return high < c.limit
	case "<=":
		return high <= c.limit
	case ">":
		return low > c.limit
	}
	return low >= c.limit
}

// possible says whether some configuration has the metric on both sides. If
// none has, the condition is a slip, and a gate that never closes.
func (c *Condition) possible(rows []result.ComparedRow) error {
	for _, r := range rows {
		if slices.ContainsFunc(r.Figures, func(f result.ComparedFigure) bool { return f.Metric == c.metric && f.Change != nil }) {
			return nil
		}
	}
	needs := ""
	switch m := metric.ByName(c.metric); m.Unit {
	case metric.NS:
		needs = ": latencies need -t1"
	case metric.CountPerIO:
		needs = ": it needs a machine with hardware counters"
	}
	return result.Errorf(result.StatusUsage, "--fail-if %q: %s was not measured on both sides%s", c.text, c.metric, needs)
}

// hold holds the condition against every row that both sides have.
func (c *Condition) hold(rows []result.ComparedRow) result.ComparedCondition {
	out := result.ComparedCondition{Text: c.text, Metric: c.metric, Operator: c.op, Limit: c.limit}
	var found []string
	untried := map[string][]string{} // configurations by why
	for _, r := range rows {
		if r.Old == 0 || r.New == 0 {
			continue
		}
		i := slices.IndexFunc(r.Figures, func(f result.ComparedFigure) bool { return f.Metric == c.metric })
		if why := untriable(r.Figures, i); why != "" {
			out.Untried = append(out.Untried, r.Name)
			untried[why] = append(untried[why], r.Name)
			continue
		}
		if f := &r.Figures[i]; c.beyond(*f.ChangeLow, *f.ChangeHigh) {
			out.Fired = append(out.Fired, r.Name)
			text := fmt.Sprintf("%s %+.2f%% (%+.2f%% to %+.2f%%)", c.metric, *f.Change, *f.ChangeLow, *f.ChangeHigh)
			if r.Name != unvaried {
				text += " with " + r.Name
			}
			found = append(found, text)
		}
	}
	switch {
	case len(found) > 0:
		out.Outcome = fmt.Sprintf("%s, all of it %s %+g%%", firsts(found, "; "), c.op, c.limit)
	case len(out.Untried) > 0:
		var parts []string
		for _, why := range slices.Sorted(maps.Keys(untried)) {
			where := ""
			if !slices.Contains(out.Untried, unvaried) {
				where = " with " + firsts(untried[why], ", ")
			}
			parts = append(parts, c.metric+where+" "+why)
		}
		out.Outcome = strings.Join(parts, "; ")
	}
	return out
}

// firsts are as many words as a sentence bears; the document has all.
func firsts(words []string, sep string) string {
	const atMost = 6
	if more := len(words) - atMost; more > 1 {
		words = append(slices.Clone(words[:atMost]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, sep)
}

// untriable is why a condition cannot be held against figure i, if it is so.
func untriable(figures []result.ComparedFigure, i int) string {
	switch {
	case i < 0 || figures[i].Change == nil:
		return "was not measured on both sides"
	case figures[i].Verdict == result.VerdictSome:
		return "was not measured in all runs, or is 0 in some"
	case figures[i].ChangeLow == nil:
		return fmt.Sprintf("was not measured often enough for an interval: it takes %d runs a side", minTested)
	}
	return ""
}
