package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
)

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

// resamples is how many the bootstrap draws. The ends of its interval then
// vary by a few per cent of its width.
const resamples = 4000

// Paired is the effect that pairs of measurements show, each the logarithm of
// the ratio of the two measured one after the other. The estimate is their
// median, its interval a bootstrap over pairs, P that of the signed-rank test.
// It depends on the values and the seed alone.
func Paired(logs []float64, seed uint64) Effect {
	e := Effect{N: len(logs), P: 1}
	if e.N == 0 {
		return e
	}
	e.Log = medianOfSorted(slices.Sorted(slices.Values(logs)))
	e.P = SignedRank(logs)
	if e.Known = e.N >= MinPairs; e.Known {
		e.Low, e.High = bootstrapMedian(logs, seed)
	}
	return e
}

// bootstrapMedian is the 95 % percentile interval of the median, by resampling
// values with replacement. The percentiles are set apart as far as Student's
// distribution and the n − 1 of the sample variance ask for, since percentile
// intervals are too narrow for few values (Hesterberg, The American
// Statistician 69, 2015, "expanded percentile interval").
func bootstrapMedian(values []float64, seed uint64) (low, high float64) {
	n := len(values)
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	medians := make([]float64, resamples)
	sample := make([]float64, n)
	for i := range medians {
		for j := range sample {
			sample[j] = values[r.IntN(n)]
		}
		slices.Sort(sample)
		medians[i] = medianOfSorted(sample)
	}
	slices.Sort(medians)
	tail := expandedTail(n)
	at := int(math.Floor(tail * (resamples - 1)))
	return medians[at], medians[resamples-1-at]
}

// expandedTail is Φ(−√(n/(n−1)) t), t the 97.5 % point of Student's
// distribution with n − 1 degrees of freedom.
func expandedTail(n int) float64 {
	df := float64(n - 1)
	t := moremath.InvCDF(moremath.TDist{V: df})(1 - (1-confidence)/2)
	return moremath.StdNormal.CDF(-math.Sqrt(float64(n)/df) * t)
}
