package stats

import (
	"math"
	"testing"

	"ringpeak/go/result"
)

// TestPercentile: any percentile, by the rule of the listed ones.
func TestPercentile(t *testing.T) {
	for _, over := range []uint64{0, 100} {
		h := histogram(t, over, upTo(10000)...)
		l, err := Latency(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range l.Percentiles {
			if ns, ok, err := Percentile(h, p.Percent); err != nil || !ok || ns != p.NS {
				t.Errorf("p%v with %d above: %d %v %v, listed as %d", p.Percent, over, ns, ok, err, p.NS)
			}
		}
	}
	h := histogram(t, 0, upTo(10000)...)
	for p, want := range map[float64]float64{33: 3300, 0.01: 1, 100: 10000, 99.97: 9997} {
		if ns, ok, err := Percentile(h, p); err != nil || !ok || math.Abs(float64(ns)-want) > 0.01*want {
			t.Errorf("p%v: %d %v %v, want %v", p, ns, ok, err, want)
		}
	}
	over := histogram(t, 100, upTo(10000)...) // 99 % are in range
	for p, want := range map[float64]bool{99: true, 99.5: false, 100: false} {
		if _, ok, err := Percentile(over, p); ok != want || err != nil {
			t.Errorf("p%v with 1 %% above the range: known %v, %v", p, ok, err)
		}
	}
	for name, h := range map[string]*result.Histogram{"none": nil, "empty": histogram(t, 0), "all above": histogram(t, 5)} {
		if ns, ok, err := Percentile(h, 50); ns != 0 || ok || err != nil {
			t.Errorf("%s: %d %v %v", name, ns, ok, err)
		}
	}
	h.Counts = h.Counts[:5]
	if _, _, err := Percentile(h, 50); err == nil {
		t.Error("a wrong layout goes unnoticed")
	}
}
