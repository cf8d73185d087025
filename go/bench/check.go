package bench

import (
	"fmt"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

func (r *run) addCheck(code string, state result.CheckState, advice, format string, args ...any) {
	if state == result.CheckPass {
		advice = ""
	}
	r.res.Checks = append(r.res.Checks, result.Check{
		Code: code, State: state, Text: fmt.Sprintf(format, args...), Advice: advice,
	})
}

// check looks at the counters of a drained crew.
func (r *run) check() {
	r.checkAccounting()
	r.checkOverflow()
	r.checkStalls()
	r.checkPace()
	r.checkWorkers()
	r.checkCeiling()
}

// checkAccounting: at rest, every I/O that was submitted has come back.
func (r *run) checkAccounting() {
	var sum result.Counters
	for _, m := range r.crew.members {
		sum = sum.Add(m.sub.Counters())
	}
	state := result.CheckPass
	if sum.Submitted != sum.Completed+sum.Failed {
		state = result.CheckFail
	}
	r.addCheck("accounting", state, "a target or ringpeak itself lost I/O: see the kernel log",
		"%d submitted = %d completed + %d failed + %d in flight, warm-up and drain included",
		sum.Submitted, sum.Completed, sum.Failed, int64(sum.Submitted)-int64(sum.Completed+sum.Failed))
}

// checkOverflow: the CQ is as large as the depth, so nothing can overflow it.
func (r *run) checkOverflow() {
	if r.Spec.Engine != result.EngineURing {
		return
	}
	n := r.overflows()
	state := result.CheckPass
	if n > 0 {
		state = result.CheckFail
	}
	r.addCheck("cq-overflow", state, "report this: the CQ should be as large as the depth", "%d CQEs overflowed", n)
}

func (r *run) overflows() uint64 {
	var n uint64
	for _, m := range r.crew.members {
		n += m.sub.Overflows()
	}
	return n
}

// stallNS is how long nothing must complete to be a stall of the target: less
// is what a descheduled submitter looks like.
const stallNS = 1_000_000_000

// checkStalls looks for stretches in which nothing completed.
func (r *run) checkStalls() {
	var empty, longest int64
	for i := range r.res.Intervals {
		iv := &r.res.Intervals[i]
		if empty += iv.LengthNS; iv.Total.Completed > 0 {
			empty = 0
		}
		longest = max(longest, empty)
	}
	if r.Spec.NeedsTarget() && longest >= stallNS*9/10 {
		r.addCheck("stalled", result.CheckWarn, "look at the kernel log for time-outs and resets",
			"nothing completed for %.1f s on end", float64(longest)/1e9)
	}
}

// checkPace looks for intervals that were ended late: who reads the counters
// was stopped or starved, and perhaps the submitters as well.
func (r *run) checkPace() {
	var longest int64
	for i := range r.res.Intervals {
		longest = max(longest, r.res.Intervals[i].LengthNS)
	}
	if planned := r.Spec.IntervalNS; planned > 0 && longest > planned*3/2 {
		r.addCheck("late-interval", result.CheckWarn, "run it alone on the machine, and do not suspend it",
			"an interval lasted %.2f s instead of %.2f s: the process was stopped, or got no CPU", float64(longest)/1e9, float64(planned)/1e9)
	}
}

// checkLatency: every completion of the window is in the histogram, and
// latency and rate agree.
func (r *run) checkLatency(completed uint64, rate, inFlight float64) {
	samples := r.res.Histogram.Over
	for _, n := range r.res.Histogram.Counts {
		samples += uint64(n)
	}
	state := result.CheckPass
	if samples != completed {
		state = result.CheckFail
	}
	r.addCheck("latency-complete", state, "report this: ringpeak lost samples",
		"%d latencies recorded of %d completions", samples, completed)
	if r.res.Latency != nil {
		edge := float64(r.res.Latency.MaxNS) / float64(max(r.res.Summary.WindowNS, 1))
		r.res.Checks = append(r.res.Checks, stats.LittlesLaw(rate, r.res.Latency.MeanNS, inFlight, edge))
	}
}
