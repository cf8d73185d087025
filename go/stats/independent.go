package stats

import (
	"math"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// Independent is the effect between two groups of measurements that were taken
// apart: how much larger those of b are than those of a, all positive. P is
// that of Mann and Whitney's test. The estimate is the median of the ratios of
// each of b to each of a, its interval the one that holds just those shifts
// which the test does not reject at 5 % (Hodges and Lehmann, Annals of
// Mathematical Statistics 34, 1963; Moses' interval). It is not known where no
// outcome of the test would reject anything: fewer than four on each side.
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
	e.P = benchmath.AssumeNothing.Compare(sampleOf(a), sampleOf(b)).P
	k := rejected(len(a), len(b))
	if e.Known = k > 0; e.Known {
		e.Low, e.High = logs[k-1], logs[len(logs)-k]
	}
	return e
}

func sampleOf(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// rejected is how many values of U, from 0 on, lie in the lower 2.5 % of its
// distribution: for large groups by the normal one.
func rejected(n1, n2 int) int {
	const tail = (1 - confidence) / 2
	if n1 > 50 || n2 > 50 { // the limit of benchmath's exact test as well
		mean, sd := float64(n1*n2)/2, math.Sqrt(float64(n1*n2)*float64(n1+n2+1)/12)
		return int(max(0, math.Floor(mean-moremath.StdNormal.InvCDF(1-tail)*sd)))
	}
	u := moremath.UDist{N1: n1, N2: n2}
	k := 0
	for u.CDF(float64(k)) <= tail {
		k++
	}
	return k
}
