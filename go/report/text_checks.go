package report

import (
	"strings"

	"ringpeak/go/result"
)

// checkOrder is the order in which checks are written out, the worst first.
var checkOrder = []result.CheckState{result.CheckFail, result.CheckWarn, result.CheckUnknown}

// checks counts the checks and writes out those that did not pass. A failure
// and a warning come with the remedy; what is unknown, on most machines the same
// things in each run, without: the document has it.
//
//	checks     12 passed, 1 warning, 1 unknown
//	  WARN     medium: /dev/zram0 is zram: compressed memory, not a drive
//	           -> take the number as what the software can do
//	  UNKNOWN  steady: that takes 5 rounds of 1s, and the window had fewer
func (t *Text) checks(checks []result.Check) {
	if len(checks) == 0 {
		return
	}
	count := map[result.CheckState]int{}
	for i := range checks {
		count[checks[i].State]++
	}
	warnings := ""
	if n := count[result.CheckWarn]; n > 0 {
		warnings = plural(n, "warning")
	}
	t.out.linef("")
	t.out.items("checks", some(count[result.CheckPass], "passed"), some(count[result.CheckFail], "failed"), warnings,
		some(count[result.CheckUnknown], "unknown"))
	for _, state := range checkOrder {
		for i := range checks {
			if checks[i].State == state {
				t.check(&checks[i])
			}
		}
	}
}

func (t *Text) check(c *result.Check) {
	t.out.sentence("  "+strings.ToUpper(string(c.State)), c.Code+": "+printable(c.Text))
	if c.Advice != "" && c.State != result.CheckUnknown {
		t.out.sentence("", "-> "+printable(c.Advice))
	}
}
