package stats

import (
	"fmt"
	"math"

	"ringpeak/go/result"
)

// How far IOPS × mean latency may lie from what was in flight, relatively.
const (
	littlePass = 0.10
	littleWarn = 0.25
)

// ExpectedInFlight is Little's law: IOPS × mean latency is the mean number of
// I/Os in flight.
func ExpectedInFlight(iops, meanNS float64) float64 {
	return iops * meanNS / 1e9
}

// LittlesLaw checks latency and IOPS against each other. inFlight is the mean
// number of I/Os in flight over all submitters, integrated over time from the
// counters, so that it owes nothing to the latencies.
//
// edge is the longest latency as a fraction of the window: by so much the I/Os
// that straddle an edge of the window, and are counted on one side of the law
// only, can put it off. Within 10 % and that the outcome is a pass, within 25 %
// and that a warning, beyond it a failure; without samples, or without anything
// in flight, it is unknown.
func LittlesLaw(iops, meanNS, inFlight, edge float64) result.Check {
	c := result.Check{Code: "littles-law"}
	if !(iops > 0 && meanNS > 0 && inFlight > 0) || math.IsInf(iops*meanNS*inFlight, 0) {
		c.State = result.CheckUnknown
		c.Text = "there are no latency samples to check IOPS against"
		c.Advice = "run longer, or with latency recording"
		return c
	}
	expected := ExpectedInFlight(iops, meanNS)
	off := expected/inFlight - 1
	c.Text = fmt.Sprintf("IOPS x mean latency gives %.1f I/Os in flight where there were %.1f (%+.1f%%)", expected, inFlight, 100*off)
	switch {
	case math.Abs(off) <= littlePass+edge:
		c.State = result.CheckPass
	case math.Abs(off) <= littleWarn+edge:
		c.State = result.CheckWarn
		c.Advice = "read the latency figures with care"
	default:
		c.State = result.CheckFail
		c.Advice = "do not rely on the latency figures of this run"
	}
	return c
}
