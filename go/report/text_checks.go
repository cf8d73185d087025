package report

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
)

// checkOrder is the order in which checks are written out, the worst first.
var checkOrder = []result.CheckState{result.CheckFail, result.CheckWarn, result.CheckUnknown}

// checks writes out the checks that did not pass, each with its remedy, and
// counts the others:
//
//	checks     WARN medium: /dev/zram0 is zram: compressed memory, not a drive -> take the number as
//	           what the software can do
//	           12 passed
func (t *Text) checks(checks []result.Check) {
	if len(checks) == 0 {
		return
	}
	t.out.linef("")
	label, passed := "checks", 0
	for _, state := range checkOrder {
		for i := range checks {
			c := &checks[i]
			if c.State != state {
				continue
			}
			text := strings.ToUpper(string(c.State)) + " " + c.Code + ": " + printable(c.Text)
			if c.Advice != "" {
				text += " -> " + printable(c.Advice)
			}
			t.out.sentence(label, text)
			label = ""
		}
	}
	for i := range checks {
		passed += bit(checks[i].State == result.CheckPass)
	}
	t.out.items(label, fmt.Sprintf("%d passed", passed))
}
