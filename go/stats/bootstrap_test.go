package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// allSamples calls f with the median of each of the n^n samples of values.
func allSamples(values []float64, f func(median float64)) {
	n := len(values)
	index := make([]int, n)
	sample := make([]float64, n)
	for {
		for i, at := range index {
			sample[i] = values[at]
		}
		slices.Sort(sample)
		f(medianOfSorted(sample))
		digit := 0
		for ; digit < n; digit++ {
			if index[digit]++; index[digit] < n {
				break
			}
			index[digit] = 0
		}
		if digit == n {
			return
		}
	}
}

// TestMedianDistribution compares it with a count of all samples that there are.
func TestMedianDistribution(t *testing.T) {
	for _, values := range [][]float64{
		{3},
		{1, 4},
		{1, 2, 8},
		{-5, 0, 1, 7},
		{1, 2, 4, 8, 16},
		{1, 2, 4, 8, 16, 32},
		{1, 2, 4, 8, 16, 32, 64},
		{1, 1, 2, 2, 2, 3},
		{5, 5, 5, 5, 5},
	} {
		want := map[float64]float64{}
		all := math.Pow(float64(len(values)), float64(len(values)))
		allSamples(values, func(m float64) { want[m] += 1 / all })
		got := map[float64]float64{}
		last := math.Inf(-1)
		for _, m := range medianDistribution(values) {
			if got[m.value] += m.p; m.value < last {
				t.Errorf("%v: %v after %v", values, m.value, last)
			}
			last = m.value
		}
		for v, p := range want {
			if math.Abs(got[v]-p) > 1e-12 {
				t.Errorf("%v: %v is met with %v, not %v", values, v, got[v], p)
			}
		}
		if len(got) > len(want) {
			t.Errorf("%v: %v, not %v", values, got, want)
		}
	}
}

// TestDistributionIsWhole: nothing is lost or met twice however many values
// there are, and it lies alike on both sides.
func TestDistributionIsWhole(t *testing.T) {
	for _, n := range []int{6, 7, 19, 20, 199, 200, 999, 1000, 20000, 100001} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(2*i - n + 1)
		}
		sum, mean := 0.0, 0.0
		for _, m := range medianDistribution(values) {
			sum += m.p
			mean += m.p * m.value
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(mean) > 1e-7 || math.IsNaN(sum) {
			t.Errorf("n %d: sums to %v, mean %v", n, sum, mean)
		}
	}
}

// TestBootstrapDraws: drawing samples, as bootstraps do, gives the same ends,
// up to what is left to chance.
func TestBootstrapDraws(t *testing.T) {
	const draws = 20000
	for _, n := range []int{6, 9, 20, 41, 100} {
		r := rand.New(rand.NewPCG(5, uint64(n)))
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		medians := make([]float64, draws)
		sample := make([]float64, n)
		for i := range medians {
			for j := range sample {
				sample[j] = values[r.IntN(n)]
			}
			slices.Sort(sample)
			medians[i] = medianOfSorted(sample)
		}
		slices.Sort(medians)
		low, high := bootstrapMedian(values)
		part := func(v float64, of func(m float64) bool) float64 {
			c := 0
			for _, m := range medians {
				if of(m) {
					c++
				}
			}
			return float64(c) / draws
		}
		// Less than the tail lies outside, and at least the tail there or on the end.
		tail := expandedTail(n)
		slack := 4 * math.Sqrt(tail/draws)
		outer := part(low, func(m float64) bool { return m < low })
		upTo := part(low, func(m float64) bool { return m <= low })
		if outer > tail+slack || upTo < tail-slack {
			t.Errorf("n %d: %v lie below %v and %v up to it, for a tail of %v", n, outer, low, upTo, tail)
		}
		outer = part(high, func(m float64) bool { return m > high })
		upTo = part(high, func(m float64) bool { return m >= high })
		if outer > tail+slack || upTo < tail-slack {
			t.Errorf("n %d: %v lie above %v and %v from it on, for a tail of %v", n, outer, high, upTo, tail)
		}
	}
}

// TestExpandedTail uses points of Student's distribution as tables print them,
// and those of the normal distribution: the tail of −√(n/(n−1)) t.
func TestExpandedTail(t *testing.T) {
	for _, tt := range []struct {
		n int
		t float64 // 97.5 % of n − 1 degrees of freedom
	}{{6, 2.570582}, {7, 2.446912}, {11, 2.228139}, {20, 2.093024}, {31, 2.042272}, {61, 2.000298}, {121, 1.979930}, {1001, 1.962339}} {
		x := math.Sqrt(float64(tt.n)/float64(tt.n-1)) * tt.t
		want := math.Erfc(x/math.Sqrt2) / 2
		if got := expandedTail(tt.n); math.Abs(got-want) > 2e-3*want {
			t.Errorf("n %d: %v, want %v", tt.n, got, want)
		}
	}
	for _, n := range []int{1e4, 1e5, 1e6} {
		if got := expandedTail(n); math.Abs(got-0.025) > 1e-4 || got > 0.025 {
			t.Errorf("n %d: %v", n, got)
		}
	}
}
