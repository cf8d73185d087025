package report

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
)

// ceiling says what the same settings come to on NOPs, and what share of that
// the run is. Without a ceiling there is nothing to say; the check of that name
// tells why.
func (t *Text) ceiling(r *result.Result) {
	c := r.Ceiling
	if c == nil || c.IOPS == nil {
		return
	}
	but := ""
	if len(c.NotKept) > 0 {
		but = " but for " + strings.Join(c.NotKept, ", ")
	}
	share := ""
	if c.Fraction != nil {
		share = fmt.Sprintf("; this run is %.3g%% of it", 100**c.Fraction)
	}
	t.out.sentence("ceiling", fmt.Sprintf("%s IOPS of NOPs with the same settings%s%s", appendIOPS(nil, *c.IOPS), but, share))
}

// assertions counts those that passed and writes out the others.
func (t *Text) assertions(list []result.Assertion) {
	if len(list) == 0 {
		return
	}
	failed := unmet(list)
	t.out.linef("")
	t.out.items("assert", fmt.Sprintf("%d passed", len(list)-failed), some(failed, "failed"))
	for i := range list {
		if a := &list[i]; !a.Passed {
			t.out.sentence("  FAILED", printable(a.Outcome))
		}
	}
}

func unmet(list []result.Assertion) int {
	n := 0
	for i := range list {
		n += bit(!list[i].Passed)
	}
	return n
}
