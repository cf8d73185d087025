package bench

import (
	"time"

	"ringpeak/go/check"
	"ringpeak/go/stats"
)

// perRound is how many intervals a round of the steady-state criteria has.
func (r *run) perRound() int {
	if r.Spec.IntervalNS <= 0 {
		return 1
	}
	return max(1, int(r.Spec.SteadyRoundNS/r.Spec.IntervalNS))
}

// isSteady looks, at the end of a round, whether the run may end there.
func (r *run) isSteady() bool {
	if !r.Spec.UntilSteady || len(r.res.Intervals)%r.perRound() != 0 {
		return false
	}
	s, ok := stats.SteadyState(r.res.Intervals, r.perRound())
	return ok && s.Attained
}

// checkSteady holds the last rounds of the window against the criteria.
func (r *run) checkSteady() {
	per := r.perRound()
	round := time.Duration(per) * r.Spec.Interval()
	if s, ok := stats.SteadyState(r.res.Intervals, per); ok {
		s.RoundNS = int64(round)
		r.res.Summary.Steady = &s
	}
	r.res.Checks = append(r.res.Checks, check.Steady(r.res.Summary.Steady, round, r.Spec.UntilSteady))
}
