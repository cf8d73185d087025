package stats

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	moremath "github.com/aclements/go-moremath/stats"
)

// bruteMannWhitney counts all ways to choose the first group of what was
// measured: twice the part that is in the tail of the one that was.
func bruteMannWhitney(a, b []float64) float64 {
	all := slices.Concat(a, b)
	u := func(in func(i int) bool) float64 {
		sum := 0.0
		for i, x := range all {
			for j, y := range all {
				if in(i) && !in(j) {
					if x > y {
						sum++
					} else if x == y {
						sum += 0.5
					}
				}
			}
		}
		return sum
	}
	seen := u(func(i int) bool { return i < len(a) })
	if seen == float64(len(a)*len(b))/2 {
		return 1
	}
	lower, upper, ways := 0, 0, 0
	for set := range uint64(1) << len(all) {
		if bits.OnesCount64(set) != len(a) {
			continue
		}
		ways++
		v := u(func(i int) bool { return set>>i&1 == 1 })
		if v <= seen {
			lower++
		}
		if v >= seen {
			upper++
		}
	}
	return min(1, 2*float64(min(lower, upper))/float64(ways))
}

func TestMannWhitneyIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, size := range [][2]int{{1, 1}, {1, 5}, {2, 2}, {3, 3}, {4, 4}, {3, 8}, {8, 3}, {5, 5}, {4, 7}, {6, 4}} {
		for round := range 24 {
			group := func(n int, shift float64) []float64 {
				values := make([]float64, n)
				for i := range values {
					if round%2 == 0 {
						values[i] = 100 + r.NormFloat64() + shift
					} else {
						values[i] = float64(1 + r.IntN(5)) // with ties
					}
				}
				return values
			}
			a, b := group(size[0], 0), group(size[1], float64(round%4))
			e := Independent(a, b)
			finite(t, fmt.Sprint(a, b), e)
			if want := bruteMannWhitney(a, b); math.Abs(e.P-want) > 1e-9 {
				t.Errorf("%v %v: %v, by counting %v", a, b, e.P, want)
			}
			back := Independent(b, a)
			if !near(back.P, e.P) || !near(back.Log, -e.Log) || !near(back.Low, -e.High) || !near(back.High, -e.Low) {
				t.Errorf("%v %v: %+v, and the other way round %+v", a, b, e, back)
			}
		}
	}
}

// TestRejected uses critical values of U as tables print them (Mann and
// Whitney's test, two-sided 5 %): the largest that is significant.
func TestRejected(t *testing.T) {
	for _, tt := range [][3]int{{4, 4, 0}, {4, 5, 1}, {5, 5, 2}, {3, 5, 0}, {2, 8, 0}, {6, 8, 8}, {10, 10, 23}, {8, 12, 22}, {15, 15, 64}, {20, 20, 127}, {7, 20, 34}} {
		if k := rejected(tt[0], tt[1]); k != tt[2]+1 {
			t.Errorf("%d and %d: U up to %d, want %d", tt[0], tt[1], k-1, tt[2])
		}
	}
	for _, none := range [][2]int{{3, 3}, {3, 4}, {2, 7}, {1, 38}} {
		if k := rejected(none[0], none[1]); k != 0 {
			t.Errorf("%v: %d", none, k)
		}
	}
	// The normal distribution takes over without a step.
	if exact, normal := rejected(50, 50), rejected(50, 51); normal-exact < 15 || normal-exact > 30 {
		t.Errorf("50 and 50: %d, 50 and 51: %d", exact, normal)
	}
}

// TestLowerU holds the distribution against the library's, which takes another
// way to it, and against the sum of both halves.
func TestLowerU(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {1, 7}, {2, 3}, {4, 4}, {7, 5}, {3, 50}, {50, 3}, {20, 21}, {33, 50}, {50, 50}} {
		u := lowerU(n[0], n[1])
		known := moremath.UDist{N1: n[0], N2: n[1]}
		sum := 0.0
		for k, p := range u {
			sum += p
			if p < 0 || (k%100 == 0 || k == len(u)-1) && math.Abs(sum-known.CDF(float64(k))) > 1e-9 {
				t.Errorf("%v: U up to %d has %v, want %v", n, k, sum, known.CDF(float64(k)))
			}
		}
		whole := 2 * sum
		if n[0]*n[1]%2 == 0 { // the middle one is there once
			whole -= u[len(u)-1]
		}
		if math.Abs(whole-1) > 1e-9 {
			t.Errorf("%v: both halves have %v", n, whole)
		}
	}
}

// TestIntervalInvertsTest: the shifts inside the interval are those that the
// test does not reject at 5 %, and those outside it rejects.
func TestIntervalInvertsTest(t *testing.T) {
	for _, size := range [][2]int{{4, 4}, {5, 9}, {12, 7}, {20, 20}, {51, 30}, {60, 60}} {
		r := rand.New(rand.NewPCG(uint64(size[0]), uint64(size[1])))
		group := func(n int, level float64) []float64 {
			values := make([]float64, n)
			for i := range values {
				values[i] = level * math.Exp(0.05*r.NormFloat64())
			}
			return values
		}
		a, b := group(size[0], 1e6), group(size[1], 1.05e6)
		e := Independent(a, b)
		finite(t, fmt.Sprint(size), e)
		if !e.Known {
			t.Errorf("%v: no interval", size)
			continue
		}
		const step = 1e-7 // less than two ratios are apart
		for _, tt := range []struct {
			shift  float64
			reject bool
		}{
			{e.Low - step, true},
			{e.Low + step, false},
			{e.High - step, false},
			{e.High + step, true},
			{e.Low - 0.02, true},
			{(e.Low + e.High) / 2, false},
			{e.High + 0.02, true},
		} {
			moved := make([]float64, len(b))
			for i, y := range b {
				moved[i] = y * math.Exp(-tt.shift)
			}
			if p := mannWhitney(a, moved); (p <= 0.05) != tt.reject {
				t.Errorf("%v: shifted by %v of %v to %v it has P %v", size, tt.shift, e.Low, e.High, p)
			}
		}
	}
}

func TestIndependentLimits(t *testing.T) {
	for _, tt := range []struct {
		a, b  []float64
		known bool
	}{
		{nil, nil, false},
		{[]float64{1}, nil, false},
		{nil, []float64{1, 2}, false},
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, false},
		{constant(6, 5), constant(6, 5), true},
		{constant(60, 5), constant(70, 5), true},
		{constant(30, 5), constant(30, 10), true},
		{constant(2, 5), constant(200, 10), true},
	} {
		e := Independent(tt.a, tt.b)
		finite(t, fmt.Sprintf("%d and %d", len(tt.a), len(tt.b)), e)
		if e.Known != tt.known || e.N != min(len(tt.a), len(tt.b)) {
			t.Errorf("%d and %d: %+v", len(tt.a), len(tt.b), e)
		}
	}
	four := Independent([]float64{1, 2, 4, 8}, []float64{16, 32, 64, 128})
	ln := math.Ln2
	if !near(four.Log, 4*ln) || !near(four.Low, ln) || !near(four.High, 7*ln) || !near(four.P, 2.0/70) {
		t.Errorf("four each: %+v", four)
	}
}

// TestIndependentCoverage is that of the interval for groups of a few runs.
func TestIndependentCoverage(t *testing.T) {
	const runs = 2000
	for _, size := range [][2]int{{4, 4}, {5, 10}, {20, 20}} {
		r := rand.New(rand.NewPCG(2, uint64(size[0])))
		covered := 0
		for range runs {
			group := func(n int, log float64) []float64 {
				values := make([]float64, n)
				for i := range values {
					values[i] = math.Exp(log + 0.04*(r.ExpFloat64()-r.ExpFloat64()))
				}
				return values
			}
			e := Independent(group(size[0], 14), group(size[1], 14.03))
			covered += covers(e.Low, e.High, 0.03)
		}
		if part := float64(covered) / runs; part < 0.94 || part > 0.985 {
			t.Errorf("%v: covers %.3f", size, part)
		}
	}
}
