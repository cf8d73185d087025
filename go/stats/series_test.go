package stats

import (
	"math"
	"slices"
	"testing"

	"ringpeak/go/result"
)

func TestSignInterval(t *testing.T) {
	ascending := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[(i*7)%n] = float64(i + 1) // any order
		}
		return v
	}
	// Ranks from tables of the sign test, two-sided 5 %.
	for n, ranks := range map[int][2]float64{6: {1, 6}, 8: {1, 8}, 9: {2, 8}, 10: {2, 9}, 15: {4, 12}, 20: {6, 15}, 25: {8, 18}, 50: {18, 33}, 100: {40, 61}} {
		low, high, ok := signInterval(ascending(n))
		if !ok || low != ranks[0] || high != ranks[1] {
			t.Errorf("n %d: ranks %v to %v, want %v", n, low, high, ranks)
		}
	}
	if _, _, ok := signInterval(ascending(5)); ok {
		t.Error("five values have an interval")
	}
	if low, high, ok := signInterval(ascending(100001)); !ok || low > 50001 || high < 50001 || high-low > 700 {
		t.Errorf("of 100001: %v to %v, %v", low, high, ok)
	}
}

func TestRanks(t *testing.T) {
	if got := ranks([]float64{30, 10, 20, 10, 10}); !slices.Equal(got, []float64{4, 1, 3, 1, 1}) {
		t.Errorf("%v", got)
	}
	if got := ranks(nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func constant(n int, v float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = v
	}
	return values
}

func TestTrendLimits(t *testing.T) {
	if s := Summarise(runOf(constant(4, 1000))); s.Trend != nil || s.IOPSMedian95 != nil || s.IOPSMedian95Why != "needs 60 whole intervals" {
		t.Errorf("four intervals: %+v, %q", s.Trend, s.IOPSMedian95Why)
	}
	if s := Summarise(runOf(constant(100, 0))); s.Trend != nil {
		t.Errorf("nothing completed: %+v", s.Trend)
	}
	s := Summarise(runOf(constant(100, 1000)))
	if tr := s.Trend; tr == nil || tr.DriftPercent != 0 || tr.Lag1 != nil || *tr.DriftStdErrPercent != 0 {
		t.Errorf("all alike: %+v", tr)
	}
	if m := s.IOPSMedian95; m == nil || *m != (result.MedianInterval{Low: 1000, High: 1000, Of: "intervals", Units: 100, PerUnit: 1}) {
		t.Errorf("all alike: %+v", m)
	}
	climb := make([]float64, 100)
	for i := range climb {
		climb[i] = 1000 + 10*float64(i)
	}
	s = Summarise(runOf(climb))
	if got, want := s.Trend.DriftPercent, 100*1000/1495.0; math.Abs(got-want) > 1e-9 {
		t.Errorf("a climb by 1000 over the window: %v %%, want %v", got, want)
	}
	if s.IOPSMedian95 != nil || s.IOPSMedian95Why == "" {
		t.Errorf("the median of a climb: %+v", s.IOPSMedian95)
	}
	// Five intervals are enough for a drift, and not for a correlation.
	if tr := Summarise(runOf(climb[:5])).Trend; tr == nil || tr.Lag1 != nil || *tr.DriftStdErrPercent > 1e-9 {
		t.Errorf("five intervals: %+v", tr)
	}
}

// Repeats are joined without what lies between them, and no pair crosses a
// boundary.
func TestRepeatsAreJoined(t *testing.T) {
	var all []result.Interval
	for k := 1; k <= 3; k++ {
		for i := range 6 {
			iv := interval(int64(i)*second, second, []uint64{1000, 3000, 2000}[k-1], false)
			iv.Repeat = k
			all = append(all, iv)
		}
	}
	s := Summarise(all)
	if s.WindowNS != 18*second || s.IOPSMean != 2000 || s.Intervals != 18 || s.IOPSMedian95 != nil {
		t.Errorf("summary %+v", s)
	}
	// Deviations −1000, 1000, 0: 5 pairs each in the first two repeats, of 12 squares in all.
	if got, want := *s.Trend.Lag1, 10.0/12; math.Abs(got-want) > 1e-12 {
		t.Errorf("lag-1 %v, want %v", got, want)
	}
	if s.Trend.DriftPercent < 40 || s.Trend.DriftPercent > 80 {
		t.Errorf("drift %v", s.Trend.DriftPercent)
	}
}

func TestSpreadOfRepeats(t *testing.T) {
	rep := func(rate float64, partial bool) result.Repeat {
		return result.Repeat{Partial: partial, Summary: result.Summary{IOPSMean: rate}}
	}
	spread, m, why := SpreadOfRepeats([]result.Repeat{rep(300, false), rep(100, false), rep(7, true), rep(200, false)})
	if spread == nil || spread.Complete != 3 || spread.IOPSMedian != 200 || spread.IOPSMin != 100 || spread.IOPSMax != 300 || *spread.IOPSStdDev != 100 {
		t.Errorf("spread %+v", spread)
	}
	if m != nil || why != "needs 6 complete repeats" {
		t.Errorf("interval %+v, %q", m, why)
	}
	if spread, m, why := SpreadOfRepeats([]result.Repeat{rep(1, true)}); spread != nil || m != nil || why == "" {
		t.Errorf("only a partial one: %+v, %+v", spread, m)
	}
	if spread, _, _ := SpreadOfRepeats([]result.Repeat{rep(5, false)}); spread.IOPSStdDev != nil {
		t.Errorf("one: %+v", spread)
	}
	var six []result.Repeat
	for i := range 6 {
		six = append(six, rep(float64(10+i), false))
	}
	if _, m, _ := SpreadOfRepeats(six); m == nil || *m != (result.MedianInterval{Low: 10, High: 15, Of: "repeats", Units: 6}) {
		t.Errorf("six: %+v", m)
	}
}

func TestSteadyState(t *testing.T) {
	tests := []struct {
		name         string
		rates        []float64
		perRound     int
		attained     bool
		spread, line float64
	}{
		{"level", constant(5, 1000), 1, true, 0, 0},
		{"the range just fits", []float64{1000, 900, 1100, 1000, 1000}, 1, true, 20, 4},
		{"the range is too wide", []float64{1000, 890, 1110, 1000, 1000}, 1, false, 22, 4.4},
		{"a hole", []float64{1000, 1000, 500, 1000, 1000}, 1, false, 500 / 9.0, 0},
		{"a climb", []float64{940, 970, 1000, 1030, 1060}, 1, false, 12, 12},
		{"a descent", []float64{1060, 1030, 1000, 970, 940}, 1, false, 12, -12},
		{"a slow start is over", []float64{1, 2, 3, 1000, 1000, 1000, 1000, 1000}, 1, true, 0, 0},
		{"rounds of two", []float64{500, 1500, 1500, 500, 1000, 1000, 1000, 1000, 800, 1200}, 2, true, 0, 0},
		{"nothing", constant(5, 0), 1, false, 0, 0},
	}
	for _, tt := range tests {
		s, ok := SteadyState(runOf(tt.rates), tt.perRound)
		if !ok || s.Attained != tt.attained || math.Abs(s.RangePercent-tt.spread) > 0.1 || math.Abs(s.SlopePercent-tt.line) > 0.1 {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
	if _, ok := SteadyState(runOf(constant(9, 1)), 2); ok {
		t.Error("four rounds and a half were enough")
	}
	ivs := runOf(constant(7, 1000))
	ivs[3].Partial = true // the stump after a late one
	s, ok := SteadyState(ivs, 1)
	if !ok || s.StartNS != second || s.LengthNS != 5*second || s.IOPSMean != 1000 {
		t.Errorf("partial ones are passed over: %+v", s)
	}
	if n := testing.AllocsPerRun(100, func() { s, ok = SteadyState(ivs, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
