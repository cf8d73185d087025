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

// TestRank: at least p percent of the samples do not exceed the value, and it
// is the least of which that is true.
func TestRank(t *testing.T) {
	for n := int64(1); n <= 120; n++ {
		h := histogram(t, 0, upTo(n)...)
		for _, p := range []float64{0.1, 1, 10, 33.3, 50, 90, 99, 99.9, 100} {
			ns, ok, err := Percentile(h, p)
			thousandths := int64(math.Round(10 * p)) // exact
			if want := (thousandths*n + 999) / 1000; ns != want || !ok || err != nil {
				t.Errorf("p%v of 1 to %d is %d, want %d", p, n, ns, want)
			}
		}
	}
	// An exact rank stays, although 99.9 / 100 × 1000 is a little more in floating point.
	h := histogram(t, 0, append(make([]int64, 999), 5000)...)
	if ns, _, _ := Percentile(h, 99.9); ns != 0 {
		t.Errorf("p99.9 of 999 zeros and one sample is %d", ns)
	}
}
