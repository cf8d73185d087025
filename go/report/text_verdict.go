package report

import (
	"fmt"

	"ringpeak/go/result"
)

// verdict is the run in one plain line: the number, its spread, and what
// speaks against it.
func verdict(r *result.Result) string {
	s := &r.Summary
	if s.Total.Completed == 0 {
		return "Nothing was measured: no I/O completed." + objections(r)
	}
	line := fmt.Sprintf("%s IOPS", appendIOPS(nil, s.IOPSMean))
	if st := s.Steady; r.Spec.UntilSteady && st != nil && st.Attained {
		return fmt.Sprintf("%s IOPS, steady for the last %.2fs; %s over all %.2fs.", appendIOPS(nil, st.IOPSMean), float64(st.LengthNS)/1e9,
			appendIOPS(nil, s.IOPSMean), float64(s.WindowNS)/1e9) + objections(r)
	}
	if n := s.Repeats; n != nil && n.Complete > 1 {
		line += fmt.Sprintf(" (%s to %s in %s)", appendIOPS(nil, n.IOPSMin), appendIOPS(nil, n.IOPSMax), plural(n.Complete, "repeat"))
	} else if s.Intervals > 1 {
		line += fmt.Sprintf(" (%s to %s in %s)", appendIOPS(nil, s.IOPSMin), appendIOPS(nil, s.IOPSMax),
			plural(s.Intervals, "interval"))
	} else {
		line += fmt.Sprintf(" in %.2fs, too short to know the spread", float64(s.WindowNS)/1e9)
	}
	return line + "." + objections(r)
}

// objections are the errors, those after the window included, an early end,
// and the checks that did not pass.
func objections(r *result.Result) string {
	failed := uint64(0)
	for i := range r.Errors {
		failed += r.Errors[i].Count
	}
	failed = max(failed, r.Summary.Total.Failed)
	warn, fail := 0, 0
	for i := range r.Checks {
		switch r.Checks[i].State {
		case result.CheckWarn:
			warn++
		case result.CheckFail:
			fail++
		}
	}
	text := " No I/O errors."
	if failed > 0 {
		text = fmt.Sprintf(" %d I/Os failed.", failed)
	}
	if r.End.Reason == "error" {
		text += " The run ended early."
	}
	switch {
	case fail > 0:
		text += fmt.Sprintf(" Do not rely on it: %s failed.", plural(fail, "check"))
	case warn > 0:
		text += fmt.Sprintf(" %s.", plural(warn, "warning"))
	}
	if n := unmet(r.Assertions); n > 0 {
		text += fmt.Sprintf(" %s failed.", plural(n, "assertion"))
	}
	return text
}
