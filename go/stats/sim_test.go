package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ringpeak/go/result"
)

// ar1 is n values of a first-order autoregressive series with coefficient phi
// around level, in its stationary state, with marginal deviation sd.
func ar1(r *rand.Rand, n int, phi, level, sd float64) []float64 {
	values := make([]float64, n)
	x := r.NormFloat64()
	for i := range values {
		values[i] = level + sd*x
		x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
	}
	return values
}

// runOf is a run of intervals of a second with these rates, whole numbers.
func runOf(rates []float64) []result.Interval {
	var ivs []result.Interval
	for i, v := range rates {
		ivs = append(ivs, interval(int64(i)*second, second, uint64(math.Round(v)), false))
	}
	return ivs
}

// TestMedianCoverage: the interval of the median covers it in about 95 % of
// all runs, correlated or not, where the naive one, that takes neighbouring
// intervals for independent, covers far less of the correlated ones.
func TestMedianCoverage(t *testing.T) {
	const level, runs = 1e6, 600
	for _, tt := range []struct {
		phi                 float64
		n                   int
		least               float64 // covered of those that got an interval
		naiveLeast, naiveUp float64
		got                 float64 // of all runs get one at least
	}{
		{0, 60, 0.94, 0.94, 0.99, 0.95},
		{0, 300, 0.94, 0.94, 0.99, 0.99},
		{0.3, 100, 0.92, 0.85, 0.94, 0.95},
		{0.5, 100, 0.92, 0.75, 0.87, 0.9},
		{0.5, 300, 0.94, 0.75, 0.87, 0.99},
		{0.7, 300, 0.94, 0.6, 0.78, 0.99},
		{0.9, 1000, 0.94, 0.3, 0.5, 0.9},
	} {
		r := rand.New(rand.NewPCG(7, uint64(tt.n)))
		covered, naive, got := 0, 0, 0
		for range runs {
			rates := ar1(r, tt.n, tt.phi, level, 0.05*level)
			low, high, _ := signInterval(rates)
			naive += covers(low, high, level)
			if m := Summarise(runOf(rates)).IOPSMedian95; m != nil {
				got++
				covered += covers(m.Low, m.High, level)
			}
		}
		part := float64(covered) / float64(got)
		if part < tt.least || part > 0.99 || float64(got) < tt.got*runs {
			t.Errorf("phi %v, n %d: covers %.3f of %d of %d runs", tt.phi, tt.n, part, got, runs)
		}
		if part := float64(naive) / runs; part < tt.naiveLeast || part > tt.naiveUp {
			t.Errorf("phi %v, n %d: the naive interval covers %.3f", tt.phi, tt.n, part)
		}
	}
}

func covers(low, high, v float64) int {
	if low <= v && v <= high {
		return 1
	}
	return 0
}

// TestOutliersDoNotHideCorrelation: one interval in twenty is far too slow,
// whatever its neighbours are, and the others are correlated all the same.
func TestOutliersDoNotHideCorrelation(t *testing.T) {
	const level, runs, n = 1e6, 600, 300
	truth := level * (1 - 0.05*0.066) // half of all lie below: 5 % outliers and 47.4 % of the others
	r := rand.New(rand.NewPCG(17, 4))
	covered, got := 0, 0
	for range runs {
		rates := ar1(r, n, 0.6, level, 0.05*level)
		for i := range rates {
			if r.Float64() < 0.05 {
				rates[i] = level / 2
			}
		}
		if m := Summarise(runOf(rates)).IOPSMedian95; m != nil {
			got++
			covered += covers(m.Low, m.High, truth)
		}
	}
	if part := float64(covered) / float64(got); part < 0.93 || got < runs*95/100 {
		t.Errorf("covers %.3f of %d of %d runs", part, got, runs)
	}
}

// TestMedianIsSkewProof: no form of distribution is taken for granted; here a
// long tail of slow intervals.
func TestMedianIsSkewProof(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	covered := 0
	for range 600 {
		rates := make([]float64, 200)
		for i := range rates {
			rates[i] = 1e6 - 1e5*r.ExpFloat64()
		}
		m := Summarise(runOf(rates)).IOPSMedian95
		if m == nil {
			t.Fatal("no interval")
		}
		covered += covers(m.Low, m.High, 1e6-1e5*math.Ln2)
	}
	if covered < 560 || covered > 595 {
		t.Errorf("covers %d of 600", covered)
	}
}

// TestSkewInBatches: batches of correlated intervals with a long tail do not
// pull the interval towards it.
func TestSkewInBatches(t *testing.T) {
	const runs = 600
	r := rand.New(rand.NewPCG(23, 3))
	covered, got := 0, 0
	for range runs {
		rates := ar1(r, 1000, 0.3, 0, 1)
		for i, x := range rates {
			rates[i] = 1e6 - 1e4*math.Exp(1.5*x)
		}
		if m := Summarise(runOf(rates)).IOPSMedian95; m != nil {
			got++
			covered += covers(m.Low, m.High, 1e6-1e4)
		}
	}
	if part := float64(covered) / float64(got); part < 0.93 || got < runs*95/100 {
		t.Errorf("covers %.3f of %d of %d runs", part, got, runs)
	}
}

// TestRepeatsCoverage: seven repeats, each with a level of its own, whose
// intervals say nothing about the other repeats.
func TestRepeatsCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	covered := 0
	for range 1000 {
		repeats := make([]result.Repeat, 7)
		for i := range repeats {
			repeats[i].Summary.IOPSMean = 1e6 + 1e5*r.NormFloat64()
		}
		_, m, _ := SpreadOfRepeats(repeats)
		covered += covers(m.Low, m.High, 1e6)
	}
	if want := 1000 * (1 - 2.0/128); math.Abs(float64(covered)-want) > 15 { // lowest to highest
		t.Errorf("covers %d of 1000, want about %v", covered, want)
	}
}

// TestTrendIsRecovered from noise, with an error that says how far off it is.
func TestTrendIsRecovered(t *testing.T) {
	const runs, n = 400, 200
	r := rand.New(rand.NewPCG(11, 1))
	for _, phi := range []float64{0, 0.6} {
		within, sumLag := 0, 0.0
		var drifts []float64
		for range runs {
			rates := ar1(r, n, phi, 1e6, 5e4)
			for i := range rates {
				rates[i] += 1e5 * (float64(i)/n - 0.5) // 10 % over the window
			}
			trend := Summarise(runOf(rates)).Trend
			drifts = append(drifts, trend.DriftPercent)
			if math.Abs(trend.DriftPercent-10) <= 1.96**trend.DriftStdErrPercent {
				within++
			}
		}
		for range runs {
			sumLag += *Summarise(runOf(ar1(r, n, phi, 1e6, 5e4))).Trend.Lag1
		}
		if mean := meanOf(drifts); math.Abs(mean-10) > 0.25 {
			t.Errorf("phi %v: a drift of 10 %% is found as %.2f %%", phi, mean)
		}
		if share := float64(within) / runs; share < 0.9 || share > 0.98 {
			t.Errorf("phi %v: %.3f within two standard errors", phi, share)
		}
		if got, want := sumLag/runs, phi-(1+4*phi)/n; math.Abs(got-want) > 0.015 {
			t.Errorf("lag-1 of phi %v is %.3f, want %.3f", phi, got, want)
		}
	}
}

// TestDriftOfFewIntervals: the error of the drift makes up for the correlation
// that a line takes out of few values.
func TestDriftOfFewIntervals(t *testing.T) {
	const runs, n = 2000, 30
	for phi, least := range map[float64]float64{0: 0.94, 0.3: 0.91, 0.6: 0.89} {
		r := rand.New(rand.NewPCG(13, 2))
		within, got, sum := 0, 0, 0.0
		for range runs {
			rates := ar1(r, n, phi, 1e6, 5e4)
			if trend := Summarise(runOf(rates)).Trend; trend.DriftStdErrPercent != nil {
				got++
				within += covers(-1.96**trend.DriftStdErrPercent, 1.96**trend.DriftStdErrPercent, trend.DriftPercent)
			}
			at := make([]float64, n)
			for i := range at {
				at[i] = float64(i)
			}
			_, residuals, _ := line(at, rates)
			sum += unbiasedResidual(*lag1(residuals, func(int) bool { return true }), n)
		}
		if share := float64(within) / float64(got); share < least || got < runs*95/100 {
			t.Errorf("phi %v: %.3f of %d within 1.96 standard errors", phi, share, got)
		}
		if math.Abs(sum/runs-phi) > 0.05 {
			t.Errorf("phi %v: the corrected correlation is %.3f", phi, sum/runs)
		}
	}
}

// TestBatchLag against sums of a long series.
func TestBatchLag(t *testing.T) {
	const m = 4
	values := ar1(rand.New(rand.NewPCG(2, 9)), 400000, 0.6, 0, 1)
	var sums []float64
	for part := range slices.Chunk(values, m) {
		sums = append(sums, meanOf(part))
	}
	got := *lag1(sums, func(int) bool { return true })
	if want := batchLag(0.6, m); math.Abs(got-want) > 0.01 {
		t.Errorf("batches of %d: %.3f, want %.3f", m, got, want)
	}
	if batchLag(0, 7) != 0 || batchLag(0.5, 1) != 0.5 {
		t.Errorf("%v, %v", batchLag(0, 7), batchLag(0.5, 1))
	}
}
