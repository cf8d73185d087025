package stats

import (
	"cmp"
	"math"
	"slices"

	"github.com/aclements/go-moremath/mathx"
	moremath "github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// Independent is the effect between two groups of measurements that were taken
// apart: how much larger those of b are than those of a, all positive. P is
// that of Mann and Whitney's test. The estimate is the median of the ratios of
// each of b to each of a, its interval the one that holds just those shifts
// which the test does not reject at 5 % (Hodges and Lehmann, Annals of
// Mathematical Statistics 34, 1963; Moses' interval). It is not known where no
// outcome of the test would reject anything, as with three on each side.
func Independent(a, b []float64) Effect {
	e := Effect{N: min(len(a), len(b)), P: 1}
	if e.N == 0 {
		return e
	}
	logs := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			logs = append(logs, math.Log(y/x))
		}
	}
	slices.Sort(logs)
	e.Log = medianOfSorted(logs)
	e.P = mannWhitney(a, b)
	k := rejected(len(a), len(b))
	if e.Known = k > 0; e.Known {
		e.Low, e.High = logs[k-1], logs[len(logs)-k]
	}
	return e
}

// mannWhitney is the two-sided P: twice that of the tail in which the groups
// are. The library takes always the lower one of the group that it is given
// first, which is the other tail's where that is the higher group; with ties
// and groups of unequal size they differ, and twice a tail may be above 1.
func mannWhitney(a, b []float64) float64 {
	higher := 0 // pairs in which a's is higher, less those in which b's is
	for _, x := range a {
		for _, y := range b {
			higher += cmp.Compare(x, y)
		}
	}
	if higher > 0 {
		a, b = b, a
	}
	return min(benchmath.AssumeNothing.Compare(sampleOf(a), sampleOf(b)).P, 1)
}

func sampleOf(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// rejected is how many values of U, from 0 on, lie in the lower 2.5 % of its
// distribution: for large groups by the normal one, with the half step that
// the test has as well.
func rejected(n1, n2 int) int {
	const tail = (1 - confidence) / 2
	if n1 > 50 || n2 > 50 { // the limit of benchmath's exact test as well
		mean, sd := float64(n1*n2)/2, math.Sqrt(float64(n1*n2)*float64(n1+n2+1)/12)
		return int(max(0, math.Floor(mean+0.5-moremath.StdNormal.InvCDF(1-tail)*sd)))
	}
	u := lowerU(n1, n2)
	k, sum := 0, 0.0
	for ; k < len(u); k++ {
		if sum += u[k]; sum > tail {
			break
		}
	}
	return k
}

// lowerU are the probabilities of the values of U from 0 to its mean, without
// ties: the coefficients of
//
//	Π (1 − x^(n2+i)) / (1 − x^i), i = 1 … n1
//
// over their sum (Mann and Whitney, Annals of Mathematical Statistics 18,
// 1947: the ways to have a U are the partitions of it into at most n1 parts of
// at most n2). Every product on the way is that of a smaller group.
func lowerU(n1, n2 int) []float64 {
	ways := make([]float64, n1*n2/2+1)
	ways[0] = 1
	for i := 1; i <= n1; i++ {
		for u := len(ways) - 1; u >= n2+i; u-- {
			ways[u] -= ways[u-n2-i]
		}
		for u := i; u < len(ways); u++ {
			ways[u] += ways[u-i]
		}
	}
	all := mathx.Choose(n1+n2, n1)
	for u := range ways {
		ways[u] /= all
	}
	return ways
}
