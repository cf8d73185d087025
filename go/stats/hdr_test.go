package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// TestCumulative compares the counts with those of the samples themselves, at
// bounds where buckets end: there they are exact.
func TestCumulative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const highest = 1<<36 - 1
	for _, digits := range []int{2, 3} {
		h := hdrhistogram.New(1, highest, digits)
		var samples []int64
		var sum float64
		for range 5000 {
			v := int64(math.Exp(rng.Float64() * math.Log(highest)))
			samples = append(samples, v)
			sum += float64(v)
			if err := h.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		bounds := []int64{0, 7, 1023, 1535, 1<<20 - 1, 3<<29 - 1, highest}
		want := make([]uint64, len(bounds))
		for _, v := range samples {
			for i, b := range bounds {
				if v <= b {
					want[i]++
				}
			}
		}
		doc := &result.Histogram{LowestNS: 1, HighestNS: highest, Digits: digits, Counts: h.Export().Counts}
		got, total, err := Cumulative(doc, bounds)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d digits: -want +got\n%s", digits, d)
		}
		if math.Abs(total-sum) > 0.01*sum {
			t.Errorf("%d digits: the sum is %g, not %g", digits, total, sum)
		}
		doc.Over = 2
		if _, more, _ := Cumulative(doc, bounds); more != total+2*highest {
			t.Errorf("%d digits: with two above it is %g, not %g", digits, more, total+2*highest)
		}
	}
	empty := &result.Histogram{LowestNS: 1, HighestNS: highest, Digits: 2, Counts: hdrhistogram.New(1, highest, 2).Export().Counts}
	if got, sum, err := Cumulative(empty, []int64{5, 7}); err != nil || got[0] != 0 || got[1] != 0 || sum != 0 {
		t.Errorf("of nothing: %v, %g, %v", got, sum, err)
	}
	empty.Counts = empty.Counts[1:]
	if _, _, err := Cumulative(empty, nil); err == nil {
		t.Error("a wrong layout is taken")
	}
}
