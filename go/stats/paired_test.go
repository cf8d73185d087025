package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func normals(seed uint64, n int, mean, sd float64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	values := make([]float64, n)
	for i := range values {
		values[i] = mean + sd*r.NormFloat64()
	}
	return values
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

// finite checks what every effect must be.
func finite(t *testing.T, what string, e Effect) {
	t.Helper()
	for _, v := range []float64{e.Log, e.Low, e.High, e.P, e.HalfWidth()} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: %+v", what, e)
			return
		}
	}
	if e.P < 0 || e.P > 1 || e.Known && !(e.Low <= e.Log && e.Log <= e.High) || !e.Known && (e.Low != 0 || e.High != 0) {
		t.Errorf("%s: %+v", what, e)
	}
}

func TestPairedMoves(t *testing.T) {
	for _, n := range []int{6, 7, 20, 33, 300, 1001} {
		values := normals(3, n, 0.01, 0.02)
		e := Paired(values)
		finite(t, "normal", e)
		if !e.Known || e.N != n || e.Low == e.High {
			t.Errorf("n %d: %+v", n, e)
		}
		shuffled := slices.Clone(values)
		rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if again := Paired(shuffled); again != e {
			t.Errorf("n %d: the order counts: %+v and %+v", n, e, again)
		}
		apply := func(f func(float64) float64) Effect {
			changed := make([]float64, n)
			for i, v := range values {
				changed[i] = f(v)
			}
			return Paired(changed)
		}
		if s := apply(func(v float64) float64 { return v + 0.5 }); !near(s.Log, e.Log+0.5) || !near(s.Low, e.Low+0.5) || !near(s.High, e.High+0.5) {
			t.Errorf("n %d, moved by 0.5: %+v and %+v", n, e, s)
		}
		if s := apply(func(v float64) float64 { return 8 * v }); !near(s.Log, 8*e.Log) || !near(s.Low, 8*e.Low) || !near(s.High, 8*e.High) || s.P != e.P {
			t.Errorf("n %d, times 8: %+v and %+v", n, e, s)
		}
		if s := apply(func(v float64) float64 { return -v }); !near(s.Log, -e.Log) || !near(s.Low, -e.High) || !near(s.High, -e.Low) || s.P != e.P {
			t.Errorf("n %d, mirrored: %+v and %+v", n, e, s)
		}
	}
}

func TestPairedOfFew(t *testing.T) {
	for n := range MinPairs {
		e := Paired(normals(5, n, 1, 0.1))
		finite(t, "few", e)
		if e.Known || e.N != n || e.P <= 0.05 {
			t.Errorf("n %d: %+v", n, e)
		}
	}
	six := []float64{6, 1, 2, 3, 4, 5}
	// √(6/5) × 2.5706 leaves 0.243 % on each side. The least value is the
	// median when four of six draws are it, of 0.87 % of all samples.
	if e := Paired(six); !e.Known || e.Log != 3.5 || e.Low != 1 || e.High != 6 || e.P != 0.03125 {
		t.Errorf("six: %+v", e)
	}
	for _, n := range []int{6, 40, 300} {
		if e := Paired(constant(n, 0)); !e.Known || e != (Effect{N: n, Known: true, P: 1}) {
			t.Errorf("%d zeros: %+v", n, e)
		}
		if e := Paired(constant(n, 0.25)); e.Log != 0.25 || e.Low != 0.25 || e.High != 0.25 || e.P > 0.05 {
			t.Errorf("%d alike: %+v", n, e)
		}
	}
	given := normals(9, 30, 0, 1)
	before := slices.Clone(given)
	if Paired(given); !slices.Equal(before, given) {
		t.Error("the values given are sorted")
	}
}

// TestPairedOutliers: of 20 pairs three that are far off move neither the
// estimate nor the interval by much.
func TestPairedOutliers(t *testing.T) {
	values := normals(11, 20, 0.02, 0.01)
	clean := Paired(values)
	for i := range 3 {
		values[i] = 3
	}
	e := Paired(values)
	finite(t, "outliers", e)
	if e.Log > clean.Log+0.01 || e.HalfWidth() > 2*clean.HalfWidth() || e.P > 0.05 {
		t.Errorf("%+v, without outliers %+v", e, clean)
	}
}

// TestPairedCoverage: the interval covers the true effect in about 95 % of all
// runs, and excludes one of none in at most about 5 %, however the ratios are
// distributed around it.
func TestPairedCoverage(t *testing.T) {
	const runs, effect = 3000, 0.02
	for _, n := range []int{6, 10, 20, 50} {
		for name, noise := range map[string]func(r *rand.Rand) float64{
			"normal":  func(r *rand.Rand) float64 { return r.NormFloat64() },
			"heavy":   func(r *rand.Rand) float64 { return r.NormFloat64() / max(0.1, r.Float64()) },
			"laplace": func(r *rand.Rand) float64 { return r.ExpFloat64() - r.ExpFloat64() },
		} {
			r := rand.New(rand.NewPCG(31, uint64(n)))
			covered, called := 0, 0
			for range runs {
				values := make([]float64, n)
				for i := range values {
					values[i] = effect + 0.05*noise(r)
				}
				e := Paired(values)
				covered += covers(e.Low, e.High, effect)
				for i := range values {
					values[i] -= effect
				}
				if SignedRank(values) <= 0.05 {
					called++
				}
			}
			if part := float64(covered) / runs; part < 0.935 || part > 0.995 {
				t.Errorf("%s, n %d: covers %.3f", name, n, part)
			}
			if part := float64(called) / runs; part > 0.062 {
				t.Errorf("%s, n %d: calls a difference of none in %.3f", name, n, part)
			}
		}
	}
}
