package report

import (
	"fmt"
	"io"
	"slices"
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
	list = append(list, differenceLines(c.Differences)...)
	if !slices.ContainsFunc(c.Differences, func(d result.Difference) bool { return d.Between }) {
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
	seen, left := map[string]int{}, 0
	for _, w := range c.Warnings { // those of a kind can be as many as documents
		if seen[w.Code]++; seen[w.Code] > atMost {
			left++
			continue
		}
		add("WARN", "%s", w.Text)
	}
	if left > 0 {
		add("WARN", "and %d more of the same kinds", left)
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
			add(only.label, "%s", firsts(names, ", "))
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
	when := first
	if last != first {
		when += " to " + last
	}
	return fmt.Sprintf("%s of %s: %s, %s", plural(s.Samples, "run"), plural(len(s.Documents), "document"), firsts(names, ", "), when)
}
