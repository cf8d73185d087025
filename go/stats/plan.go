package stats

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
)

// power of a comparison that Detectable speaks of.
const power = 0.8

// StdErr is the standard error of an estimate from pairs, from the width of its
// interval; 0 without one.
func (e *Effect) StdErr() float64 {
	if !e.Known {
		return 0
	}
	return e.HalfWidth() / reach(e.N)
}

// PairsFor is how many pairs like these it takes, about, for an interval as
// narrow as ±half, a logarithm: the error falls with the root of their number.
// It is 0 when that cannot be told.
func (e *Effect) PairsFor(half float64) int {
	const most = 1_000_000
	one := e.StdErr() * math.Sqrt(float64(e.N)) // of a single pair
	if one <= 0 || half <= 0 {
		return 0
	}
	enough := func(n int) bool { return reach(n)*one/math.Sqrt(float64(n)) <= half }
	if !enough(most) {
		return 0
	}
	low, high := MinPairs-1, most // not enough, enough
	for low+1 < high {
		if mid := (low + high) / 2; enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// Detectable is the smallest effect, as a logarithm, that n pairs like these
// tell from none in four of five comparisons: its interval has to lie clear of
// 0 that often.
func (e *Effect) Detectable(n int) float64 {
	one := e.StdErr() * math.Sqrt(float64(e.N))
	return (reach(n) + moremath.StdNormal.InvCDF(power)) * one / math.Sqrt(float64(n))
}

// Quartiles are the lower quartile, the median and the upper one, by linear
// interpolation between the values (Hyndman and Fan, The American Statistician
// 50, 1996, definition 7), of
// values that are sorted; all 0 without any.
func Quartiles(sorted []float64) (q1, median, q3 float64) {
	at := func(p float64) float64 {
		h := p * float64(len(sorted)-1)
		i := int(h)
		if i+1 >= len(sorted) {
			return sorted[len(sorted)-1]
		}
		return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
	}
	if len(sorted) == 0 {
		return 0, 0, 0
	}
	return at(0.25), at(0.5), at(0.75)
}

// Holm adjusts the P of several tests, so that the chance of one of them or more
// being at most 0.05 by chance alone is no larger than that (Holm,
// Scandinavian Journal of Statistics 6, 1979). It returns them in their order.
func Holm(p []float64) []float64 {
	out := make([]float64, len(p))
	done := make([]bool, len(p))
	least := 0.0
	for left := len(p); left > 0; left-- {
		at := -1
		for i := range p {
			if !done[i] && (at < 0 || p[i] < p[at]) {
				at = i
			}
		}
		least = math.Max(least, math.Min(1, float64(left)*p[at]))
		out[at], done[at] = least, true
	}
	return out
}

// RelativeSpread is the sample's standard deviation as a part of its mean; 0 of
// fewer than two values.
func RelativeSpread(values []float64) float64 {
	d := sampleStdDev(values)
	mean := meanOf(values)
	if d == nil || mean <= 0 {
		return 0
	}
	return *d / mean
}
