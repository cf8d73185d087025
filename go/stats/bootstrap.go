package stats

import (
	"cmp"
	"math"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
)

// bootstrapMedian is the 95 % percentile interval of the median, by resampling
// values with replacement: of all n^n samples that there are, not of some that
// were drawn, so that it depends on the values alone (the "ideal bootstrap" of
// Efron, The Annals of Statistics 7, 1979, who gives the distribution for odd
// n). The percentiles are set apart as far as Student's distribution and the
// n − 1 of the sample variance ask for, since percentile intervals are too
// narrow for few values (Hesterberg, The American Statistician 69, 2015,
// "expanded percentile interval").
func bootstrapMedian(values []float64) (low, high float64) {
	medians := medianDistribution(slices.Sorted(slices.Values(values)))
	tail := expandedTail(len(values))
	sum := 0.0
	for _, m := range medians {
		if sum += m.p; sum > tail {
			low = m.value
			break
		}
	}
	sum = 0
	for _, m := range slices.Backward(medians) {
		if sum += m.p; sum > tail {
			high = m.value
			break
		}
	}
	return low, high
}

// weighted is a value that is met with probability p.
type weighted struct{ value, p float64 }

// negligible is what is left out of a distribution at most, for each value.
const negligible = 1e-15

// medianDistribution is that of the median of n draws with replacement from n
// sorted values, in ascending order. How many draws are among the lowest i
// values is binomial (n, i/n), and the k-th lowest draw is among them when
// there are k such.
func medianDistribution(sorted []float64) []weighted {
	n := len(sorted)
	k := (n + 1) / 2 // the middle draw, or the lower of the two
	medians := make([]weighted, 0, n*4)
	below := 0.0
	var upper []float64
	if n%2 == 0 {
		upper = logParts(n)
	}
	for i := range n {
		among := atLeast(n, k, float64(i+1)/float64(n))
		alone := among - below // that the lower middle draw is value i
		below = among
		if alone < negligible {
			continue
		}
		if n%2 == 0 {
			alone -= apart(sorted, i, upper, &medians)
		}
		if alone > 0 {
			medians = append(medians, weighted{sorted[i], alone})
		}
	}
	slices.SortFunc(medians, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	return medians
}

// atLeast is P(B ≥ k), B binomial (n, p), for a k about n/2.
func atLeast(n, k int, p float64) float64 {
	if p >= 1 {
		return 1
	}
	upper := float64(k) > float64(n)*p // sum the tail that k is in, away from the middle
	if !upper {
		k--
	}
	term := binomialHalf(n, k) * math.Exp(float64(k)*math.Log(2*p)+float64(n-k)*math.Log(2-2*p))
	odds, sum := p/(1-p), 0.0
	for term > negligible*1e-3 {
		sum += term
		if upper {
			term *= float64(n-k) / float64(k+1) * odds
			k++
		} else {
			term *= float64(k) / float64(n-k+1) / odds
			k--
		}
	}
	if upper {
		return sum
	}
	return 1 - sum
}

// apart adds the medians of those samples of an even number n = 2k of draws
// whose lower middle draw is value i and whose upper one is another, j, and
// returns how probable they are. Then k draws are at most i, not all less; the
// other k at least j, not all more; and for positions from 0 on that is
//
//	C(n, k) ((i+1)^k − i^k) ((n−j)^k − (n−j−1)^k) / n^n
func apart(sorted []float64, i int, logs []float64, medians *[]weighted) float64 {
	n := len(sorted)
	ways := math.Log(binomialHalf(n, n/2)) + logs[i]
	sum := 0.0
	for j := i + 1; j < n; j++ {
		p := math.Exp(ways + logs[n-1-j])
		if p < negligible {
			break
		}
		sum += p
		*medians = append(*medians, weighted{(sorted[i] + sorted[j]) / 2, p})
	}
	return sum
}

// logParts are the logarithms of (2/n)^k ((i+1)^k − i^k), n = 2k.
func logParts(n int) []float64 {
	k := float64(n / 2)
	logs := make([]float64, n)
	for i := range logs {
		less := math.Log(float64(i) / float64(i+1)) // −∞ for the first
		logs[i] = k*math.Log(2*float64(i+1)/float64(n)) + math.Log(-math.Expm1(k*less))
	}
	return logs
}

// expandedTail is Φ(−√(n/(n−1)) t), t the 97.5 % point of Student's
// distribution with n − 1 degrees of freedom.
func expandedTail(n int) float64 { return moremath.StdNormal.CDF(-reach(n)) }

// reach is how many standard errors the interval of n pairs extends to each
// side.
func reach(n int) float64 {
	df := float64(n - 1)
	return math.Sqrt(float64(n)/df) * student(df)
}

// student is the 97.5 % point of Student's distribution, right to a thousandth
// from five degrees of freedom on (Abramowitz and Stegun, Handbook of
// Mathematical Functions, 26.7.5).
func student(df float64) float64 {
	const z = 1.959963984540054
	const z3, z5, z7, z9 = z * z * z, z * z * z * z * z, z * z * z * z * z * z * z, z * z * z * z * z * z * z * z * z
	return z + (z3+z)/4/df + (5*z5+16*z3+3*z)/96/(df*df) + (3*z7+19*z5+17*z3-15*z)/384/(df*df*df) +
		(79*z9+776*z7+1482*z5-1920*z3-945*z)/92160/(df*df*df*df)
}
