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
