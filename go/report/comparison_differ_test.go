package report

import (
	"fmt"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// TestHeadStaysShort: hundreds of configurations and documents leave a head in
// which what differs in all of them can be seen. A few are all there.
func TestHeadStaysShort(t *testing.T) {
	head := func(n int) (lines []string) {
		c := &result.Comparison{}
		var values []string
		for i := range n {
			values = append(values, fmt.Sprint("v", i))
			row := fmt.Sprint("-d", i+2)
			c.Differences = append(c.Differences, result.Difference{
				Group: "settings", Path: "spec.submit_batch", Title: "submission batch (-s)", Old: []string{fmt.Sprint(i + 2)}, New: []string{"1"}, Between: true, Rows: []string{row},
			})
			c.Rows = append(c.Rows, result.ComparedRow{Name: row, Old: 1})
			c.Warnings = append(c.Warnings, result.Notef("errors", "old: %d.json: 3 I/Os failed", i))
		}
		c.Differences = append(c.Differences,
			result.Difference{Group: "kernel", Path: "system.kernel", Title: "release", Old: []string{"6.1"}, New: []string{"6.12"}, Between: true},
			result.Difference{Group: "granted", Path: "placements.*.cpu", Title: "CPUs of the submitters", Old: values, New: values},
		)
		c.Warnings = append(c.Warnings, result.Notef("check", "another"))
		for _, l := range comparisonHead(c) {
			lines = append(lines, l.label+" "+l.text)
		}
		return lines
	}
	few, many := head(3), head(300)
	for _, want := range []string{
		"differs settings: submission batch (-s) 4 -> 1, with -d4", "only old -d2 (1 run), -d3 (1 run), -d4 (1 run)",
		"mixed granted: CPUs of the submitters v0 | v1 | v2 on both sides", "WARN old: 2.json: 3 I/Os failed",
	} {
		if !strings.Contains(strings.Join(few, "\n")+"\n", want+"\n") {
			t.Errorf("of 3, %q lack %q", few, want)
		}
	}
	for _, want := range []string{
		"differs settings: submission batch (-s) 2 -> 1, with -d2, and in 299 other ways in other configurations",
		"differs kernel: release 6.1 -> 6.12",
		"mixed granted: CPUs of the submitters v0 | v1 | v2 | v3 | v4 | v5 | and 294 more on both sides",
		"WARN and 294 more of the same kinds", "WARN another",
		"only old -d2 (1 run), -d3 (1 run), -d4 (1 run), -d5 (1 run), -d6 (1 run), -d7 (1 run), and 294 more",
	} {
		if !strings.Contains(strings.Join(many, "\n")+"\n", want+"\n") {
			t.Errorf("of 300, %q lack %q", many, want)
		}
	}
	if len(many) > 20 {
		t.Errorf("%d lines", len(many))
	}
}
