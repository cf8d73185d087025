package check

import (
	"fmt"
	"math"
	"time"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// Steady says whether the last rounds of the window fulfil SNIA's two
// criteria; s is nil when the window had too few. untilSteady: the run was to
// go on until they did.
func Steady(s *result.Steady, round time.Duration, untilSteady bool) result.Check {
	if s == nil {
		return found(result.CheckUnknown,
			fmt.Sprintf("measure for %v, or make the rounds shorter with --steady-round", stats.SteadyRounds*round),
			"that takes %d rounds of %v, and the window had fewer", stats.SteadyRounds, round).check(CodeSteady)
	}
	state, advice := result.CheckPass, ""
	switch {
	case s.Attained:
	case untilSteady:
		state, advice = result.CheckWarn, "give it longer with -r, keep other work off the machine, or look at the intervals for what changes"
	default:
		state, advice = result.CheckWarn, "leave a slow start out with --warmup, measure longer with --until-steady, or look at the intervals for what changes"
	}
	return found(state, advice, "in the last %d rounds of %v the rate ranged over %.1f %% of its average (limit %g %%) and drifted by %.1f %% (limit %g %%)",
		s.Rounds, round, s.RangePercent, s.RangeLimit, math.Abs(s.SlopePercent), s.SlopeLimit).check(CodeSteady)
}

// repeatLimit is how far complete repeats may lie apart, in percent of their
// median: as far as the rounds of a steady state.
const repeatLimit = 20

// RepeatsAgree holds the complete repeats against each other.
func RepeatsAgree(n *result.RepeatSpread) result.Check {
	if n == nil || n.Complete < 2 || n.IOPSMedian <= 0 {
		return found(result.CheckUnknown, "let at least two repeats come to their end", "fewer than two repeats were completed").check(CodeRepeats)
	}
	apart := 100 * (n.IOPSMax - n.IOPSMin) / n.IOPSMedian
	state := result.CheckPass
	if apart > repeatLimit {
		state = result.CheckWarn
	}
	return found(state, "something changes from one to the next: caches that fill, heat, other work; use --warmup, and look at the drift",
		"%d repeats lie %.1f %% of their median apart (limit %d %%)", n.Complete, apart, repeatLimit).check(CodeRepeats)
}

// ceilingNear is the fraction of the ceiling from which on the check warns:
// three quarters of the time of an I/O are then what a NOP takes as well, and
// what the target takes is at most the rest.
const ceilingNear = 0.75

// Ceiling says whether the result is far enough from what NOPs come to for
// the target, and not the CPUs or ringpeak, to be the limit.
func Ceiling(c *result.Ceiling) result.Check {
	if c.Fraction == nil {
		why := c.Reason
		if why == "" {
			why = "the run has no rate"
		}
		return found(result.CheckUnknown, "run longer, or measure the ceiling apart, with -N1", "nothing to hold the result against: %s", why).check(CodeCeiling)
	}
	state, text := result.CheckPass, "%.3g%% of what NOPs come to: the ring and ringpeak itself are not the limit"
	if *c.Fraction >= ceilingNear {
		state = result.CheckWarn
		text = "%.3g%% of what NOPs come to: the CPUs or ringpeak may be the limit, and not the target"
	}
	return found(state, "use more submitters (-n) on CPUs of their own, or larger batches (-s, -c)", text, 100**c.Fraction).check(CodeCeiling)
}
