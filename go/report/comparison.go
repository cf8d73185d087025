package report

import (
	"fmt"
	"io"
	"strings"

	"ringpeak/go/result"
)

// ComparisonFormats are the names that WriteComparison takes.
func ComparisonFormats() []string { return []string{"text", "markdown", "json", "csv"} }

// WriteComparison renders a comparison: as text for a terminal or a mail, as
// Markdown with the tables of GitHub, as its JSON document, or as one line of
// CSV per configuration and metric, in the units of the document.
func WriteComparison(w io.Writer, format string, c *result.Comparison) error {
	switch format {
	case "text":
		return comparisonText(w, c)
	case "markdown":
		return comparisonMarkdown(w, c)
	case "json":
		return comparisonJSON(w, c)
	case "csv":
		return comparisonCSV(w, c)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(ComparisonFormats(), ", "))
}

// Remarks are the differences and warnings of a comparison in words, for
// formats that have no place for them.
func Remarks(c *result.Comparison) (list []string) {
	for _, l := range comparisonHead(c) {
		if l.label != "note" {
			l.text = l.label + ": " + l.text
		}
		list = append(list, l.text)
	}
	return list
}

// headLine is one line above the tables.
type headLine struct{ label, text string }

// comparisonHead is what a reader has to know before the figures.
func comparisonHead(c *result.Comparison) (list []headLine) {
	add := func(label, format string, args ...any) {
		list = append(list, headLine{label, printable(fmt.Sprintf(format, args...))})
	}
	add("old", "%s", sideText(&c.Old))
	add("new", "%s", sideText(&c.New))
	if c.Forced {
		add("FORCED", "the two sides did different work, and are compared all the same")
	}
	same := true
	for i := range c.Differences {
		d := &c.Differences[i]
		if d.Between {
			same = false
			add("differs", "%s: %s %s", d.Group, d.Title, changeText(d))
			continue
		}
		add("mixed", "%s: %s %s on both sides%s", d.Group, d.Title, strings.Join(prettyAll(d.Path, d.Old), " | "), within(d))
	}
	if same {
		add("differs", "nothing that the documents tell: settings, targets, kernel, machine and tool are the same")
	}
	for _, only := range []struct {
		side  string
		paths []string
	}{{"old", c.OnlyOld}, {"new", c.OnlyNew}} {
		if len(only.paths) > 0 {
			add("unknown", "recorded on the %s side only, so nobody knows whether they differ: %s", only.side, strings.Join(only.paths, ", "))
		}
	}
	for _, w := range c.Warnings {
		add("WARN", "%s", w.Text)
	}
	for _, only := range []struct {
		label string
		n     func(*result.ComparedRow) (int, int)
	}{
		{"only old", func(r *result.ComparedRow) (int, int) { return r.Old, r.New }},
		{"only new", func(r *result.ComparedRow) (int, int) { return r.New, r.Old }},
	} {
		var names []string
		for i := range c.Rows {
			if n, other := only.n(&c.Rows[i]); other == 0 {
				names = append(names, fmt.Sprintf("%s (%s)", c.Rows[i].Name, plural(n, "run")))
			}
		}
		if len(names) > 0 {
			add(only.label, "%s", strings.Join(names, ", "))
		}
	}
	for _, n := range c.Notes {
		add("note", "%s", n.Text)
	}
	return list
}

// comparisonConditions says what became of --fail-if.
func comparisonConditions(c *result.Comparison) (list []headLine) {
	add := func(label, text, outcome string) {
		list = append(list, headLine{label, printable(text + ": " + outcome)})
	}
	for _, k := range c.Conditions {
		switch {
		case len(k.Fired) > 0:
			add("FAILED", k.Text, k.Outcome)
		case k.Outcome != "":
			add("undecided", k.Text, k.Outcome)
		default:
			add("held", k.Text, "no interval lies beyond it")
		}
	}
	return list
}

// sideText is what a side consists of.
func sideText(s *result.ComparedSide) string {
	var names []string
	first, last := "", ""
	for _, d := range s.Documents {
		names = append(names, d.Path)
		if first == "" || d.Started < first {
			first = d.Started
		}
		last = max(last, d.Started)
	}
	const shown = 6
	if more := len(names) - shown; more > 1 {
		names = append(names[:shown], fmt.Sprintf("and %d more", more))
	}
	when := first
	if last != first {
		when += " to " + last
	}
	return fmt.Sprintf("%s of %s: %s, %s", plural(s.Samples, "run"), plural(len(s.Documents), "document"), strings.Join(names, ", "), when)
}

func within(d *result.Difference) string {
	if len(d.Rows) == 0 {
		return ""
	}
	return ", with " + strings.Join(d.Rows, ", ")
}

// longValue is from which length on of two texts only the words that differ
// are shown.
const longValue = 40

// changeText is a difference between the sides.
func changeText(d *result.Difference) string {
	old, new := prettyAll(d.Path, d.Old), prettyAll(d.Path, d.New)
	if len(old) == 1 && len(new) == 1 && max(len(old[0]), len(new[0])) > longValue {
		if less, more := onlyIn(old[0], new[0]), onlyIn(new[0], old[0]); less+more != "" {
			var parts []string
			for _, p := range []struct{ what, words string }{{"without", less}, {"with", more}} {
				if p.words != "" {
					parts = append(parts, p.what+" "+p.words)
				}
			}
			return "is now " + strings.Join(parts, ", ") + within(d)
		}
	}
	return strings.Join(old, " | ") + " -> " + strings.Join(new, " | ") + within(d)
}

// onlyIn are the words of a that b has fewer of.
func onlyIn(a, b string) string {
	has := map[string]int{}
	for _, w := range strings.Fields(b) {
		has[w]++
	}
	var words []string
	for _, w := range strings.Fields(a) {
		if has[w]--; has[w] < 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

func prettyAll(path string, values []string) []string {
	var list []string
	for _, v := range values {
		list = append(list, pretty(path, v))
	}
	return list
}

// pretty is the value of a field for people.
func pretty(path, v string) string {
	var n int64
	if _, err := fmt.Sscanf(v, "%d", &n); err == nil && fmt.Sprint(n) == v {
		switch {
		case strings.HasSuffix(path, "_ns"):
			return duration(n)
		case strings.HasSuffix(path, "_bytes"):
			return byteCount(n)
		}
		return v
	}
	flag := strings.HasPrefix(path, "spec.") || strings.HasPrefix(path, "granted.")
	switch {
	case flag && (v == "true" || v == "yes"):
		return "1"
	case flag && (v == "false" || v == "no"):
		return "0"
	}
	return v
}
