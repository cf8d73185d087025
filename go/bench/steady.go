package bench

import (
	"fmt"
	"math"
	"time"

	"ringpeak/go/result"
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

// checkSteady holds the last five rounds of the window against SNIA's criteria.
func (r *run) checkSteady() {
	per := r.perRound()
	round := time.Duration(per) * r.Spec.Interval()
	s, ok := stats.SteadyState(r.res.Intervals, per)
	if !ok {
		r.addCheck("steady", result.CheckUnknown,
			fmt.Sprintf("measure for %v, or make the rounds shorter with --steady-round", stats.SteadyRounds*round),
			"that takes %d rounds of %v, and the window had fewer", stats.SteadyRounds, round)
		return
	}
	s.RoundNS = int64(round)
	r.res.Summary.Steady = &s
	state, advice := result.CheckPass, ""
	switch {
	case s.Attained:
	case r.Spec.UntilSteady:
		state, advice = result.CheckWarn, "give it longer with -r, keep other work off the machine, or look at the intervals for what changes"
	default:
		state, advice = result.CheckWarn, "leave a slow start out with --warmup, measure longer with --until-steady, or look at the intervals for what changes"
	}
	r.addCheck("steady", state, advice, "in the last %d rounds of %v the rate ranged over %.1f %% of its average (limit %g %%) and drifted by %.1f %% (limit %g %%)",
		s.Rounds, round, s.RangePercent, s.RangeLimit, math.Abs(s.SlopePercent), s.SlopeLimit)
}

// repeatLimit is how far complete repeats may lie apart, in percent of their
// median: as far as the rounds of a steady state.
const repeatLimit = 20

// checkRepeats holds the complete repeats against each other.
func (r *run) checkRepeats() {
	n := r.res.Summary.Repeats
	if n == nil || n.Complete < 2 || n.IOPSMedian <= 0 {
		r.addCheck("repeats-agree", result.CheckUnknown, "let at least two repeats come to their end", "fewer than two repeats were completed")
		return
	}
	apart := 100 * (n.IOPSMax - n.IOPSMin) / n.IOPSMedian
	state := result.CheckPass
	if apart > repeatLimit {
		state = result.CheckWarn
	}
	r.addCheck("repeats-agree", state, "something changes from one to the next: caches that fill, heat, other work; use --warmup, and look at the drift",
		"%d repeats lie %.1f %% of their median apart (limit %d %%)", n.Complete, apart, repeatLimit)
}
