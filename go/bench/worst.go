package bench

import (
	"fmt"

	"ringpeak/go/result"
)

// worstChecks makes one list of the checks of several repeats: each check as
// it came out worst, and in which repeat that was first. One that passed says
// what it said in the last repeat.
func worstChecks(parts []*result.Result) []result.Check {
	list := []result.Check{}
	worst := map[string]int{} // where in list
	count := map[string]int{} // repeats that came out so
	for i, p := range parts {
		cut := len(parts) > 1 && p.End.Reason != "time" && p.End.Reason != "steady"
		for _, c := range p.Checks {
			if cut && c.State == result.CheckUnknown {
				continue
			}
			at, seen := worst[c.Code]
			switch {
			case !seen:
				at = len(list)
				worst[c.Code] = at
				list = append(list, result.Check{})
				fallthrough
			case c.State.Severity() > list[at].State.Severity():
				count[c.Code] = 1
				list[at] = c
				list[at].Text = fmt.Sprintf("repeat %d: %s", i+1, c.Text)
			case c.State == list[at].State:
				count[c.Code]++
				if c.State == result.CheckPass {
					list[at].Text = fmt.Sprintf("repeat %d: %s", i+1, c.Text)
				}
			}
		}
	}
	for i := range list {
		if n := count[list[i].Code]; n > 1 {
			list[i].Text += fmt.Sprintf(" (likewise in %d more)", n-1)
		}
	}
	return list
}
