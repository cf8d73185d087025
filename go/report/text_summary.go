package report

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// Finished writes how the run ended and what it came to.
func (t *Text) Finished(r *result.Result) error {
	s := &r.Summary
	t.endLine(r, true)
	t.endRepeat(r)
	t.ending(r)
	t.out.linef("")
	t.out.items("measured", window(r)...)
	t.iops(r)
	if r.Spec.NeedsTarget() {
		t.out.items("BW", string(appendBW(nil, s.BytesPerSecond)), fmt.Sprintf("%.0f bytes/s", s.BytesPerSecond))
	}
	t.ceiling(r)
	if calls := s.Total.Calls; calls > 0 {
		t.out.items("IOS/call", fmt.Sprintf("%.1f submitted, %.1f completed, in %d calls", s.SubmittedPerCall, s.CompletedPerCall, calls))
	} else {
		t.out.items("IOS/call", "n/a, no calls were made")
	}
	t.out.items("I/O", balance(s))
	t.usage(r)
	t.timeSplit(r.TimeSplit)
	t.errors(r)
	t.perSubmitter(r)
	t.usageTable(r)
	t.perTarget(r)
	t.latency(r)
	t.checks(r.Checks)
	t.assertions(r.Assertions)
	t.out.linef("")
	t.out.linef("Maximum IOPS=%s (best single interval)", appendIOPS(nil, s.IOPSMax))
	t.out.linef("%s", verdict(r))
	return t.out.err
}

// ending says why the run stopped and whether everything came back.
func (t *Text) ending(r *result.Result) {
	switch e := &r.End; {
	case e.Reason == "time":
		t.out.linef("Exiting on timeout")
	case e.Reason == "steady":
		t.out.linef("Exiting on steady state")
	case e.Reason == "signal" && e.Signal != "":
		t.out.linef("Exiting on signal (%s)", e.Signal)
	case e.Reason == "error" && e.Error != "":
		t.out.linef("Exiting on error: %s", printable(e.Error))
	default:
		t.out.linef("Exiting on %s", e.Reason)
	}
	if !r.End.Drained {
		from := "the targets"
		if len(r.End.Stuck) > 0 {
			from = printable(strings.Join(r.End.Stuck, ", "))
		}
		t.out.linef("Not drained: I/O did not come back from %s", from)
	}
}

// balance is the sum that must hold over the window.
func balance(s *result.Summary) string {
	c := &s.Total
	return fmt.Sprintf("in flight %d + submitted %d = completed %d + failed %d + in flight %d",
		s.InFlightBefore, c.Submitted, c.Completed, c.Failed, s.InFlightAfter)
}

func (t *Text) errors(r *result.Result) {
	var all uint64
	label := "errors"
	for i := range r.Errors {
		e := &r.Errors[i]
		all += e.Count
		t.out.items(label, fmt.Sprintf("%d x %s on %s", e.Count, kindOfError(e), printable(e.Target)))
		label = ""
	}
	if n := r.Summary.Total.Failed; n != all {
		t.out.sentence("", fmt.Sprintf("(%d of them in the measured window, the others before it or in the drain after it)", n))
	}
}

func kindOfError(e *result.ErrorCount) string {
	switch {
	case e.NVMe != 0:
		return "NVMe status " + e.Text
	case e.Name == "":
		return fmt.Sprintf("errno %d", e.Errno)
	case e.Errno != 0 && e.Text != "":
		return fmt.Sprintf("%s (%d, %s)", e.Name, e.Errno, e.Text)
	}
	return e.Name
}

// perSubmitter writes a table whose last row is the sum of the others.
func (t *Text) perSubmitter(r *result.Result) {
	if len(r.PerSubmitter) < 2 {
		return
	}
	var sum result.Counters
	for _, c := range r.PerSubmitter {
		sum = sum.Add(c)
	}
	write := scaled(stats.CounterRates(sum, r.Summary.WindowNS).IOPS)
	const row = "%-9s %4s %9s %11s %11s %14s %14s %8s"
	t.out.linef("")
	t.out.linef(row, "submitter", "cpu", "IOPS", "BW", "IOS/call", "submitted", "completed", "failed")
	line := func(name, on string, c result.Counters) {
		rates := stats.CounterRates(c, r.Summary.WindowNS)
		bw := "-"
		if r.Spec.NeedsTarget() {
			bw = string(appendBW(nil, rates.BytesPerSecond))
		}
		t.out.linef(row, name, on, write(rates.IOPS), bw, appendIOSPerCall(nil, rates, c.Calls), fmt.Sprint(c.Submitted), fmt.Sprint(c.Completed),
			fmt.Sprint(c.Failed))
	}
	for i, c := range r.PerSubmitter {
		on := "any"
		if i < len(r.Placements) {
			on = cpu(r.Placements[i].CPU)
		}
		line(fmt.Sprint(i), on, c)
	}
	line("all", "", sum)
}

func some(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, what)
}
