package check

import (
	"math"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// Accounting: at rest, every I/O that was submitted has come back, once.
// totals are those of a drained crew, or of one that could not be.
func Accounting(totals []result.Counters, drained bool) result.Check {
	var sum result.Counters
	for _, c := range totals {
		sum = sum.Add(c)
	}
	back := sum.Completed + sum.Failed
	f := found(result.CheckPass, "", "%d submitted = %d completed + %d failed, warm-up and drain included", sum.Submitted, sum.Completed, sum.Failed)
	switch {
	case sum.Submitted > back:
		f = found(result.CheckFail, "look at the kernel log for a hung device; if it came back, report this",
			"%d I/Os never came back: %d submitted, %d completed, %d failed", sum.Submitted-back, sum.Submitted, sum.Completed, sum.Failed)
	case sum.Submitted < back:
		f = found(result.CheckFail, "report this: ringpeak counted what it did not submit",
			"%d I/Os more came back than went out: %d submitted, %d completed, %d failed", back-sum.Submitted, sum.Submitted, sum.Completed, sum.Failed)
	case !drained:
		f = found(result.CheckFail, "look at the kernel log for a hung device",
			"a submitter did not come back from the kernel, so it is not known whether all its I/O did: %d submitted, %d completed, %d failed",
			sum.Submitted, sum.Completed, sum.Failed)
	}
	return f.check(CodeAccounting)
}

// Overflow: the CQ is as large as the depth, so nothing can overflow it.
func Overflow(n uint64) result.Check {
	state := result.CheckPass
	if n > 0 {
		state = result.CheckFail
	}
	return found(state, "report this: the CQ should be as large as the depth", "%d CQEs overflowed", n).check(CodeOverflow)
}

// stallNS is how long nothing must complete to be a stall of the target: less
// is what a descheduled submitter looks like.
const stallNS = 1_000_000_000

// Stalled looks for stretches in which nothing completed; nil for NOPs.
func Stalled(r *result.Result) *result.Check {
	var empty, longest int64
	for i := range r.Intervals {
		iv := &r.Intervals[i]
		if empty += iv.LengthNS; iv.Total.Completed > 0 {
			empty = 0
		}
		longest = max(longest, empty)
	}
	if !r.Spec.NeedsTarget() || len(r.Intervals) == 0 {
		return nil
	}
	if longest < stallNS*9/10 {
		c := found(result.CheckPass, "", "no intervals of a second together were without a completion").check(CodeStalled)
		return &c
	}
	c := found(result.CheckWarn, "look at the kernel log for time-outs and resets",
		"nothing completed for %.1f s on end", float64(longest)/1e9).check(CodeStalled)
	return &c
}

// lateNS is by how much an interval must be late at least: a busy machine
// wakes who reads the counters some scheduling slices late, which harms nothing,
// since each interval is divided by its own length.
const lateNS = 50_000_000

// Late looks for intervals that were ended late, nil without any intervals: who
// reads the counters was stopped or starved, and perhaps the submitters as well.
func Late(r *result.Result) *result.Check {
	var longest int64
	for i := range r.Intervals {
		longest = max(longest, r.Intervals[i].LengthNS)
	}
	planned := r.Spec.IntervalNS
	if planned <= 0 || longest == 0 {
		return nil
	}
	f := found(result.CheckPass, "", "no interval was ended late: the longest lasted %.3g s", float64(longest)/1e9)
	if longest > planned+max(planned/2, lateNS) {
		f = found(result.CheckWarn, "run it alone on the machine, and do not suspend it",
			"an interval lasted %.3g s instead of %.3g s: the process was stopped, or got no CPU",
			float64(longest)/1e9, float64(planned)/1e9)
	}
	c := f.check(CodeLate)
	return &c
}

// Workers: requests that could not be issued without blocking were run by
// kernel worker threads (io-wq), at about twice the CPU time each. n is how
// many of these there were, -1 if nobody knows.
func Workers(n int) result.Check {
	f := found(result.CheckPass, "", "no kernel worker took part")
	switch {
	case n < 0:
		f = found(result.CheckUnknown, "mount /proc", "the threads of this process could not be listed")
	case n > 0:
		workers := "workers"
		if n == 1 {
			workers = "worker"
		}
		f = found(result.CheckWarn,
			"lower the depth below the device's requests per queue; drivers without NOWAIT (zram, some file systems) always do this",
			"%d io-wq kernel %s took part: reads could not be issued without blocking, so this is not the fast path", n, workers)
	}
	return f.check(CodeWorkers)
}

// LatencyComplete: every completion of the window is in the histogram.
func LatencyComplete(h *result.Histogram, completed uint64) result.Check {
	samples := h.Over
	for _, n := range h.Counts {
		samples += uint64(n)
	}
	state := result.CheckPass
	if samples != completed {
		state = result.CheckFail
	}
	return found(state, "report this: ringpeak lost samples", "%d latencies recorded of %d completions", samples, completed).check(CodeLatency)
}

// Little holds latency, rate and the mean number of I/Os in flight against each
// other, as far as they can be: I/Os that fail are in flight as well, and their
// latency is not recorded.
func Little(r *result.Result, rate, inFlight float64) result.Check {
	if n := r.Summary.Total.Failed; n > 0 {
		return found(result.CheckUnknown, "see why they fail",
			"%d I/Os failed, which were in flight and have no latency, so IOPS x mean latency says nothing", n).check(CodeLittle)
	}
	edge := float64(r.Latency.MaxNS) / float64(max(r.Summary.WindowNS, 1))
	return stats.LittlesLaw(rate, r.Latency.MeanNS, inFlight, edge)
}

// Polled holds a polled run against the interrupts that its devices raised;
// nil for one that was not. A few are other people's I/O; one for every hundred
// completions means that completions came that way.
func Polled(e *Evidence) *result.Check {
	if !e.Polled {
		return nil
	}
	c := polled(e).check(CodePolled)
	return &c
}

func polled(e *Evidence) finding {
	const trust = "trust queue/io_poll and the driver's documentation instead"
	for i := range e.Result.Targets {
		if t := &e.Result.Targets[i]; t.CanPoll == result.ChoiceNo {
			return found(result.CheckFail, "use -p0, or give the device poll queues",
				"polling was asked for and is not in effect on %s: %s", t.Path, t.WhyNotPoll)
		}
	}
	if e.InterruptsBefore == nil || e.InterruptsAfter == nil {
		return found(result.CheckUnknown, trust, "/proc/interrupts could not be read")
	}
	var total int64
	for _, n := range e.InterruptsAfter.PerDevice(e.InterruptsBefore, e.Result.Targets) {
		total += n
	}
	completed := int64(e.Result.Summary.Total.Completed)
	if total > completed/100+100+writes(e) {
		return found(result.CheckFail, "look for other I/O on the device; see whether it has poll queues",
			"polled, and yet the devices raised %d interrupts for %d completions", total, completed)
	}
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		if e.InterruptsAfter.Since(e.InterruptsBefore, t) == nil {
			return found(result.CheckUnknown, trust, "the interrupts of %s cannot be told apart in /proc/interrupts", t.Path)
		}
	}
	return found(result.CheckPass, "", "the devices raised %d interrupts for %d completions", total, completed)
}

// writes are those of others on the disks, as far as they are counted; none of
// them is polled.
func writes(e *Evidence) int64 {
	var n uint64
	gs := groups(e)
	for i := range gs {
		if c := count(e, &gs[i]); c.why == nil {
			n += c.Writes + c.Discards + c.Flushes
		}
	}
	return int64(n)
}

// clockLimit is by how much the clock may be off over the window, in percent.
// CLOCK_MONOTONIC itself is slewed by up to 0.05 % (adjtimex(2)).
const clockLimit = 0.1

// Clock holds the clock of the latencies against CLOCK_MONOTONIC.
func Clock(c *result.Clock) result.Check {
	if c.Source != result.ClockTSC || c.DeviationPercent == nil {
		return found(result.CheckPass, "", "latency is taken from CLOCK_MONOTONIC itself").check(CodeClock)
	}
	state := result.CheckPass
	if math.Abs(*c.DeviationPercent) > clockLimit {
		state = result.CheckFail
	}
	return found(state, "the latencies are off by as much: use --clock=monotonic",
		"the time-stamp counter went %+.4f %% against CLOCK_MONOTONIC over the window", *c.DeviationPercent).check(CodeClock)
}
