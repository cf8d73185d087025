package report

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"ringpeak/go/result"
)

// comparisonText writes what differs, the tables, and the sentence to paste.
func comparisonText(w io.Writer, c *result.Comparison) error {
	p := newPrinter(w)
	labelled(&p, comparisonHead(c))
	for _, t := range comparisonTables(c) {
		p.linef("")
		for _, line := range t.text() {
			p.linef("%s", line)
		}
	}
	p.linef("")
	labelled(&p, comparisonConditions(c))
	p.linef("%s", comparisonSentence(c))
	return p.err
}

// labelled writes lines, the label of those that share one on the first.
func labelled(p *printer, lines []headLine) {
	before := ""
	for _, l := range lines {
		label := l.label
		if label == before {
			label = ""
		}
		before = l.label
		p.sentence(label, l.text)
	}
}

// head is the line above the columns.
func (t *comparisonTable) head() comparisonLine {
	return comparisonLine{name: t.title, old: "old", new: "new", change: "change"}
}

// text is the table, its columns aligned: numbers to the right, what belongs to
// them to the left. Columns without anything are left out.
func (t *comparisonTable) text() (lines []string) {
	head := t.head()
	all := [][]string{head.cells()}
	for i := range t.lines {
		all = append(all, t.lines[i].cells())
	}
	widths := make([]int, len(all[0]))
	for _, cells := range all {
		for i, s := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(s))
		}
	}
	right := []int{1, 3, 5}  // old, new, change
	beside := []int{2, 4, 6} // their intervals
	for _, cells := range all {
		line := ""
		for i, s := range cells {
			if widths[i] == 0 {
				continue
			}
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(s))
			switch {
			case i == 0:
				line += s + gap
			case slices.Contains(right, i):
				line += "  " + gap + s
			case slices.Contains(beside, i):
				line += " " + s + gap
			default:
				line += "  " + s + gap
			}
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}
