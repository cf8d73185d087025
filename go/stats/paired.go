package stats

import "slices"

// Effect is the ratio of one thing to another, as natural logarithms: the sign
// says which is larger, and B/A and A/B differ by it alone.
type Effect struct {
	N         int     // pairs, or values on the smaller side
	Log       float64 // the estimate
	Low, High float64 // the 95 % interval; only with Known
	Known     bool    // there was enough for an interval
	P         float64 // of the test that there is no effect; 1 when nothing can be tested
}

// HalfWidth is half of the interval, as a logarithm.
func (e *Effect) HalfWidth() float64 { return (e.High - e.Low) / 2 }

// MinPairs is how many pairs an interval takes: of fewer, not even all of one
// sign are significant at 5 %.
const MinPairs = 6

// Paired is the effect that pairs of measurements show, each the logarithm of
// the ratio of the two measured one after the other. The estimate is their
// median, its interval a bootstrap over pairs, P that of the signed-rank test.
// The bootstrap is exact, so that there is no seed on which it depends.
func Paired(logs []float64) Effect {
	e := Effect{N: len(logs), P: 1}
	if e.N == 0 {
		return e
	}
	e.Log = medianOfSorted(slices.Sorted(slices.Values(logs)))
	e.P = SignedRank(logs)
	if e.Known = e.N >= MinPairs; e.Known {
		e.Low, e.High = bootstrapMedian(logs)
	}
	return e
}
