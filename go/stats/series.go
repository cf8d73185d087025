package stats

import (
	"math"

	"ringpeak/go/result"
)

// Least numbers of whole intervals.
const (
	minTrend = 5  // for a drift
	minLag1  = 10 // for a correlation
)

// series is the rates of the whole intervals of a run, in their order.
type series struct {
	rates  []float64
	at     []float64 // middle of each, in ns of measured time
	repeat []int
}

func newSeries(intervals []result.Interval) series {
	var s series
	var before, end int64 // windows of earlier repeats, and of this one so far
	for i := range intervals {
		iv := &intervals[i]
		if i > 0 && iv.Repeat != intervals[i-1].Repeat {
			before, end = before+end, 0
		}
		end = max(end, iv.StartNS+iv.LengthNS)
		if !iv.Partial && iv.LengthNS > 0 {
			s.rates = append(s.rates, IntervalRates(iv).IOPS)
			s.at = append(s.at, float64(before+iv.StartNS)+float64(iv.LengthNS)/2)
			s.repeat = append(s.repeat, iv.Repeat)
		}
	}
	return s
}

// neighbours says whether value i+1 follows value i in one window.
func (s *series) neighbours(i int) bool { return s.repeat[i] == s.repeat[i+1] }

// trend is how the rate moved over a window of that length; nil with fewer
// than five intervals, or without any completion.
//
//	drift = 100 × slope × window / mean, slope by least squares over time
//
// The standard error is that of the slope with n(1 − r)/(1 + r) independent
// values instead of n, where r is the lag-1 correlation of the residuals,
// without its bias and as far as it is positive (Santer et al., J. Geophys.
// Res. 105, 2000). It still is too small where few intervals are much alike: of
// 30 that are correlated by 0.6, the drift lies within 1.96 of it in 90 %.
func (s *series) trend(windowNS int64) *result.Trend {
	n := len(s.rates)
	mean := meanOf(s.rates)
	if n < minTrend || mean <= 0 {
		return nil
	}
	slope, residuals, spread := line(s.at, s.rates)
	percent := 100 * float64(windowNS) / mean
	t := &result.Trend{DriftPercent: slope * percent, DriftStdErrPercent: s.driftError(residuals, spread, percent)}
	if n >= minLag1 {
		t.Lag1 = lag1(s.rates, s.neighbours)
	}
	return t
}

func (s *series) driftError(residuals []float64, spread, percent float64) result.OptFloat {
	independent := float64(len(residuals))
	if r := lag1(residuals, s.neighbours); r != nil {
		if phi := unbiasedResidual(*r, len(residuals)); phi > 0 {
			independent *= (1 - phi) / (1 + phi)
		}
	}
	if independent <= 2 || spread <= 0 {
		return nil
	}
	var squares float64
	for _, e := range residuals {
		squares += e * e
	}
	e := math.Sqrt(squares/(independent-2)/spread) * percent
	return &e
}

// unbiasedResidual corrects a lag-1 correlation that was found in the residuals
// of a line through n values. What is correlated by φ leaves residuals that are
// by about φ − (2 + 5φ)/n: a line takes more with it than a mean. (To first
// order, after Kendall, Biometrika 41, 1954.) Fewer than ten tell too little to
// be corrected.
func unbiasedResidual(r float64, n int) float64 {
	if n < minLag1 {
		return r
	}
	return min(r+(2+5*r)/float64(n), 0.999)
}

// line is the least-squares line through (x, y): its slope, what remains of
// each y, and Σ(x − mean)². It is level when all x are alike.
func line(x, y []float64) (slope float64, residuals []float64, spread float64) {
	mx, my := meanOf(x), meanOf(y)
	var both float64
	for i := range x {
		both += (x[i] - mx) * (y[i] - my)
		spread += (x[i] - mx) * (x[i] - mx)
	}
	if spread > 0 {
		slope = both / spread
	}
	for i := range x {
		residuals = append(residuals, y[i]-my-slope*(x[i]-mx))
	}
	return slope, residuals, spread
}

// lag1 is the correlation of values with those that follow them:
//
//	r = Σ (x[i] − mean)(x[i+1] − mean) / Σ (x[i] − mean)²
//
// For a series that is correlated by φ it is too low by about (1 + 4φ)/n. Nil
// when all values are alike; neighbours leaves out pairs with a gap between
// them.
func lag1(values []float64, neighbours func(i int) bool) result.OptFloat {
	mean := meanOf(values)
	var products, squares float64
	for i, v := range values {
		squares += (v - mean) * (v - mean)
		if i+1 < len(values) && neighbours(i) {
			products += (v - mean) * (values[i+1] - mean)
		}
	}
	// Rounding leaves something of values that are all alike.
	if squares <= 1e-24*mean*mean*float64(len(values)) {
		return nil
	}
	r := products / squares
	return &r
}

func meanOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
