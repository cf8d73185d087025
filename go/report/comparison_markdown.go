package report

import (
	"io"
	"strings"

	"ringpeak/go/result"
)

// comparisonMarkdown is the same as the text, as a list and tables that GitHub
// renders.
func comparisonMarkdown(w io.Writer, c *result.Comparison) error {
	p := newPrinter(w)
	for _, l := range comparisonHead(c) {
		p.linef("- **%s** %s", l.label, markdown(l.text))
	}
	for _, t := range comparisonTables(c) {
		p.linef("")
		p.linef("| %s | old | new | change | p | n | |", markdown(t.title))
		p.linef("|---|--:|--:|--:|---|---|---|")
		for _, l := range t.lines {
			p.linef("| %s | %s | %s | %s | %s | %s | %s |", markdown(l.name),
				joined(l.old, l.oldRange), joined(l.new, l.newRange), markdown(joined(l.change, l.interval)),
				markdown(l.p), l.counts, l.verdict)
		}
	}
	for i, l := range comparisonConditions(c) {
		if i == 0 {
			p.linef("")
		}
		p.linef("- **%s** %s", l.label, markdown(l.text))
	}
	p.linef("")
	p.linef("%s", markdown(comparisonSentence(c)))
	return p.err
}

func joined(value, interval string) string { return strings.TrimSpace(value + " " + interval) }

// markdown is a text that means nothing to a renderer.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_|<>[]~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
