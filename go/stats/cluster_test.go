package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClusteredByHand: groups of ranks 0 1, 2 3 and 4 5 have 16 between them
// and 1.5 within, so F is 16 with 2 and 3 degrees of freedom, and P, which is
// (1 + 2F/3)^(-3/2) for two, is 0.0251.
func TestClusteredByHand(t *testing.T) {
	groups := [][]float64{{10, 20}, {35, 30}, {400, 50}}
	p, ok := Clustered([][][]float64{groups, {{1}}, nil, {{1}, {2}}})
	if want := math.Pow(1+32.0/3, -1.5); !ok || math.Abs(p-want) > 1e-9 {
		t.Errorf("%v, want %v", p, want)
	}
	for _, none := range [][][][]float64{nil, {{{1, 2, 3}}}, {{{1}, {2}}}, {{{5, 5}, {5, 5}}}} {
		if p, ok := Clustered(none); ok || p != 1 {
			t.Errorf("%v: %v", none, p)
		}
	}
}

// TestClusteredLevel: of independent values about 5 % are called clustered,
// outliers or not; of those whose groups differ as much as they do within, most.
func TestClusteredLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const rounds = 2000
	called := func(spread float64) float64 {
		n := 0
		for range rounds {
			strata := make([][][]float64, 2)
			for i := range strata {
				for range 3 {
					level := spread * r.NormFloat64()
					var g []float64
					for range 6 {
						g = append(g, math.Exp(14+level+r.NormFloat64()/(0.05+r.Float64())))
					}
					strata[i] = append(strata[i], g)
				}
			}
			if p, ok := Clustered(strata); ok && p <= 0.05 {
				n++
			}
		}
		return float64(n) / rounds
	}
	if part := called(0); part < 0.035 || part > 0.065 {
		t.Errorf("independent: %v", part)
	}
	if part := called(3); part < 0.8 {
		t.Errorf("clustered: %v", part)
	}
}
