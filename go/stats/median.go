package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ringpeak/go/result"
)

const (
	// minUnits is how many independent values an interval for the median
	// takes: among five, even lowest and highest enclose it in 94 % only.
	minUnits = 6
	// minSeries is how many intervals a run has at least. From fewer the
	// correlation cannot be told: those runs would get an interval that happen
	// to look uncorrelated, and of those it would cover too few.
	minSeries = 60
	// maxBatchLag is how strongly neighbouring batches may still be correlated.
	maxBatchLag = 0.1
	// confidence of all intervals.
	confidence = 0.95
)

// signInterval is the interval of the median that the sign test gives: the
// k-th lowest and the k-th highest of n independent values, k as large as it
// may be for the median to lie between them in 95 % of all cases,
//
//	2 P(B < k) ≤ 0.05, B binomial (n, ½)
//
// which holds for every continuous distribution. Not ok with fewer than six.
func signInterval(values []float64) (low, high float64, ok bool) {
	n := len(values)
	if n < minUnits {
		return 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	k, below := 0, 0.0
	for ; k < n/2; k++ {
		if below += binomialHalf(n, k); 2*below > 1-confidence {
			break
		}
	}
	return sorted[k-1], sorted[n-k], true
}

// binomialHalf is C(n, k) / 2^n.
func binomialHalf(n, k int) float64 {
	lg := func(v int) float64 { l, _ := math.Lgamma(float64(v + 1)); return l }
	return math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
}

// medianOfSeries is the 95 % interval of the median over the whole intervals
// of one window, or why there is none. Intervals that follow each other are
// alike, so it is taken over the medians of non-overlapping batches of m
// intervals, from which signInterval makes one. m is the least for which a
// first-order autoregressive series whose neighbours are alike as these are has
// batches correlated by at most 0.1, and about doubled for as long as the
// correlation of the batches found is significant (one-sided, 5 %). It is odd:
// the middle one of an odd number lies as often below the median as above it,
// the mean of two middle ones does not where the distribution is skewed. A
// remainder at the front is left out: it is closest to the start.
//
// Batches and their test after Fishman, Discrete-Event Simulation (2001),
// chapter 6 (batch means); batch quantiles are their form for a median.
func (s *series) medianOfSeries() (*result.MedianInterval, string) {
	n := len(s.rates)
	if n < minSeries {
		return nil, fmt.Sprintf("needs %d whole intervals", minSeries)
	}
	size := s.batchSize()
	if n < size*minUnits {
		return nil, tooAlike(n, size*minUnits)
	}
	units := batchMedians(s.rates, size)
	low, high, _ := signInterval(units)
	m := &result.MedianInterval{Low: low, High: high, Of: "batches", Units: len(units), PerUnit: size}
	if size == 1 {
		m.Of = "intervals"
	}
	return m, ""
}

// tooAlike says that n intervals are too few. What it would take is a figure
// only where the run would not have to be another one altogether.
func tooAlike(n, needed int) string {
	if needed > 20*n {
		return fmt.Sprintf("the rate wanders too much for %d intervals", n)
	}
	return fmt.Sprintf("needs about %d whole intervals, since neighbours are much alike", needed)
}

// batchSize is m of medianOfSeries; so large that there are too few batches
// when none is right.
func (s *series) batchSize() int {
	n := len(s.rates)
	r := alike(s.rates, s.neighbours)
	if r == nil {
		return 1
	}
	phi := unbiased(*r, n)
	size := 1
	for size*minUnits <= n && batchLag(phi, size) > maxBatchLag {
		size += 2
	}
	for size*minUnits <= n {
		units := batchMedians(s.rates, size)
		b := float64(len(units))
		r := alike(units, func(int) bool { return true })
		if r == nil || *r <= 1.645/math.Sqrt(b)-1/b {
			return size
		}
		size = 2*size + 1
	}
	// What it would take is told to people: as if it were first order.
	for size < 100*n && batchLag(phi, size) > maxBatchLag {
		size += 2
	}
	return size
}

// alike is how much neighbours are alike: the larger of the lag-1 correlations
// of the values and of their ranks, which a few outliers cannot hide. Ranks
// that are correlated by r are those of normally distributed values that are
// correlated by 2 sin(πr/6) (Pearson 1907). Nil when all values are alike.
func alike(values []float64, neighbours func(i int) bool) result.OptFloat {
	r := lag1(values, neighbours)
	if r == nil {
		return nil
	}
	if of := lag1(ranks(values), neighbours); of != nil {
		*r = max(*r, 2*math.Sin(math.Pi**of/6))
	}
	return r
}

// ranks are the places of values in their order, from 0 on; equal ones share
// the mean of theirs.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for first := 0; first < len(order); {
		end := first + 1
		for end < len(order) && values[order[end]] == values[order[first]] {
			end++
		}
		for _, i := range order[first:end] {
			out[i] = float64(first+end-1) / 2
		}
		first = end
	}
	return out
}

// unbiased corrects a lag-1 correlation that was found in n values (Kendall,
// Biometrika 41, 1954: its expectation is φ − (1 + 4φ)/n).
func unbiased(r float64, n int) float64 {
	return min((float64(n)*r+1)/float64(n-4), 0.999)
}

// batchLag is the lag-1 correlation of sums of m values of an autoregressive
// series of first order with coefficient φ: with
//
//	variance    m + 2 Σ (m − k) φ^k, k = 1 … m − 1
//	covariance  φ ((1 − φ^m) / (1 − φ))²
//
// the covariance over the variance.
func batchLag(phi float64, m int) float64 {
	variance := float64(m)
	power, sum := 1.0, 0.0 // φ^k, and Σ φ^k from k = 0
	for k := range m {
		if k > 0 {
			variance += 2 * float64(m-k) * power
		}
		sum += power
		power *= phi
	}
	return phi * sum * sum / variance
}

// batchMedians are the medians of the last len/m batches of m values, m odd.
func batchMedians(values []float64, m int) []float64 {
	var medians []float64
	for at := len(values) % m; at < len(values); at += m {
		medians = append(medians, medianOfSorted(slices.Sorted(slices.Values(values[at:at+m]))))
	}
	return medians
}

// SpreadOfRepeats is the spread of the rates of complete repeats, and the 95 %
// interval of their median, or why there is none. Repeats are taken for
// independent: rings, memory and threads of each are its own. It is nil
// without any that is complete.
func SpreadOfRepeats(repeats []result.Repeat) (*result.RepeatSpread, *result.MedianInterval, string) {
	var rates []float64
	for i := range repeats {
		if !repeats[i].Partial {
			rates = append(rates, repeats[i].Summary.IOPSMean)
		}
	}
	why := fmt.Sprintf("needs %d complete repeats", minUnits)
	if len(rates) == 0 {
		return nil, nil, why
	}
	slices.Sort(rates)
	spread := &result.RepeatSpread{
		Complete: len(rates), IOPSMedian: medianOfSorted(rates),
		IOPSMin: rates[0], IOPSMax: rates[len(rates)-1], IOPSStdDev: sampleStdDev(rates),
	}
	low, high, ok := signInterval(rates)
	if !ok {
		return spread, nil, why
	}
	return spread, &result.MedianInterval{Low: low, High: high, Of: "repeats", Units: len(rates)}, ""
}
