package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bruteSignedRank counts all 2^n choices of signs. Its ranks are counted too:
// those below and half of those alike.
func bruteSignedRank(values []float64) float64 {
	var magnitudes []float64
	var positive []bool
	for _, v := range values {
		if v != 0 {
			magnitudes = append(magnitudes, math.Abs(v))
			positive = append(positive, v > 0)
		}
	}
	n := len(magnitudes)
	ranks := make([]float64, n)
	total := 0.0
	for i, m := range magnitudes {
		ranks[i] = 0.5
		for _, o := range magnitudes {
			if o < m {
				ranks[i]++
			} else if o == m {
				ranks[i] += 0.5
			}
		}
		total += ranks[i]
	}
	off := func(in func(i int) bool) float64 {
		sum := 0.0
		for i, r := range ranks {
			if in(i) {
				sum += r
			}
		}
		return math.Abs(sum - total/2)
	}
	seen := off(func(i int) bool { return positive[i] })
	far := 0
	for signs := range 1 << n {
		if off(func(i int) bool { return signs>>i&1 == 1 }) >= seen {
			far++
		}
	}
	return float64(far) / float64(int(1)<<n)
}

func TestSignedRankIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	cases := [][]float64{
		{1},
		{-1},
		{0},
		{0, 0, 0},
		{1, -1},
		{1, 2, 3, 4, 5, 6},
		{-1, -2, -3, -4, -5, -6},
		{1, 1, 1, 1, 1, -1},
		{0, 3, -1, 0, 2, 2, -2},
		{1e-300, 1e300, -1},
		nil,
	}
	for n := 1; n <= 12; n++ {
		for range 12 {
			values := make([]float64, n)
			for i := range values {
				switch n % 3 { // smooth; with ties; with ties and zeros
				case 0:
					values[i] = r.NormFloat64() + 0.5
				case 1:
					values[i] = float64(1+r.IntN(4)) * (1 - 2*float64(r.IntN(2)))
				default:
					values[i] = float64(r.IntN(7) - 2)
				}
			}
			cases = append(cases, values)
		}
	}
	for _, values := range cases {
		if got, want := SignedRank(values), bruteSignedRank(values); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, by counting %v", values, got, want)
		}
	}
}

// withNegativeRanks are 1 to n with signs so that the ranks of the negative
// ones sum to w.
func withNegativeRanks(n, w int) []float64 {
	values := make([]float64, n)
	for i := n; i > 0; i-- {
		values[i-1] = float64(i)
		if i <= w {
			values[i-1], w = -float64(i), w-i
		}
	}
	return values
}

// TestSignedRankTables uses critical values as tables print them (Wilcoxon and
// Wilcox, Some Rapid Approximate Statistical Procedures, 1964), two-sided: the
// largest sum of ranks that is significant.
func TestSignedRankTables(t *testing.T) {
	for _, table := range []struct {
		level    float64
		critical map[int]int
	}{
		{0.05, map[int]int{6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 11: 10, 12: 13, 13: 17, 14: 21, 15: 25, 16: 29, 17: 34, 18: 40, 19: 46, 20: 52, 25: 89, 30: 137}},
		{0.01, map[int]int{8: 0, 9: 1, 10: 3, 11: 5, 12: 7, 13: 9, 14: 12, 15: 15, 16: 19, 17: 23, 18: 27, 19: 32, 20: 37, 25: 68, 30: 109}},
	} {
		for n, w := range table.critical {
			at, beyond := SignedRank(withNegativeRanks(n, w)), SignedRank(withNegativeRanks(n, w+1))
			if at > table.level || beyond <= table.level {
				t.Errorf("%v, n %d: %v at a sum of %d and %v at the next", table.level, n, at, w, beyond)
			}
		}
	}
	if p := SignedRank(withNegativeRanks(5, 0)); p != 0.0625 {
		t.Errorf("five of one sign: %v", p)
	}
}

// TestSignedRankNormal: where it is no more exact it is close to that.
func TestSignedRankNormal(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{exactRanks + 1, 300} {
		for _, shift := range []float64{0, 0.05, 0.1, 0.2} {
			for _, grid := range []float64{0, 0.25} { // smooth, and with ties
				values := make([]float64, n)
				for i := range values {
					if values[i] = r.NormFloat64() + shift; grid > 0 {
						values[i] = grid * (math.Floor(values[i]/grid) + 0.5)
					}
				}
				doubled := doubledRanks(values)
				positive, total := 0, 0
				for i, d := range doubled {
					if total += d; values[i] > 0 {
						positive += d
					}
				}
				exact := exactTails(doubled, max(2*positive-total, total-2*positive))
				got := SignedRank(values)
				if math.Abs(got-exact) > 0.01*exact+0.0005 {
					t.Errorf("n %d, shift %v, grid %v: %v, exactly %v", n, shift, grid, got, exact)
				}
				if got == exact && exact < 1 {
					t.Errorf("n %d is not by the normal distribution", n)
				}
			}
		}
	}
}

// TestSignedRankSigns: it is two-sided, and of the magnitudes only their order
// counts.
func TestSignedRankSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{7, 60, 250} {
		values, mirrored, grown := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64() + 0.3
			mirrored[i], grown[i] = -values[i], values[i]*values[i]*values[i]
		}
		p := SignedRank(values)
		if SignedRank(mirrored) != p || SignedRank(grown) != p || p <= 0 || p > 1 {
			t.Errorf("n %d: %v, mirrored %v, of the cubes %v", n, p, SignedRank(mirrored), SignedRank(grown))
		}
	}
}
