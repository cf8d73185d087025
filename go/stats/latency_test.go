package stats

import (
	"math"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

const (
	lowest  = 1
	highest = 60 * 1e9
	digits  = 3
)

// histogram records values in the layout above.
func histogram(t *testing.T, over uint64, values ...int64) *result.Histogram {
	t.Helper()
	h := hdrhistogram.New(lowest, highest, digits)
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	return &result.Histogram{LowestNS: lowest, HighestNS: highest, Digits: digits, Counts: h.Export().Counts, Over: over}
}

func upTo(n int64) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i) + 1
	}
	return values
}

func TestLatencyKnownDistribution(t *testing.T) {
	l, err := Latency(histogram(t, 0, upTo(10000)...))
	if err != nil {
		t.Fatal(err)
	}
	within := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("%s = %v, want %v within 1 %%", what, got, want)
		}
	}
	if l.Samples != 10000 || l.OverRange != 0 {
		t.Errorf("samples %d, over range %d", l.Samples, l.OverRange)
	}
	within("mean", l.MeanNS, 5000.5)
	within("min", float64(l.MinNS), 1)
	within("max", float64(l.MaxNS), 10000)
	within("stddev", l.StdDevNS, math.Sqrt((1e8-1)/12))
	if len(l.Percentiles) != 17 {
		t.Fatalf("%d percentiles", len(l.Percentiles))
	}
	for i, p := range l.Percentiles {
		if p.Percent != Percentiles()[i] {
			t.Errorf("percentile %d is %v", i, p.Percent)
		}
		within("a percentile", float64(p.NS), p.Percent*100)
	}
}

func TestLatencyWithoutSamples(t *testing.T) {
	for _, h := range []*result.Histogram{nil, histogram(t, 0)} {
		if l, err := Latency(h); l != nil || err != nil {
			t.Errorf("got %v, %v", l, err)
		}
	}
}

func TestLatencyOverRange(t *testing.T) {
	// 90 of 100 samples are in range: percentiles above 90 have no known value.
	l, err := Latency(histogram(t, 10, upTo(90)...))
	if err != nil {
		t.Fatal(err)
	}
	if l.Samples != 90 || l.OverRange != 10 {
		t.Errorf("samples %d, over range %d", l.Samples, l.OverRange)
	}
	last := l.Percentiles[len(l.Percentiles)-1]
	if last.Percent != 90 || last.NS != 90 {
		t.Errorf("last percentile %+v, want the 90th at 90", last)
	}
	for _, p := range l.Percentiles {
		if float64(p.NS) != p.Percent {
			t.Errorf("percentile %+v, want its own number", p)
		}
	}

	l, err = Latency(histogram(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	want := &result.Latency{OverRange: 7, Percentiles: []result.Percentile{}}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("nothing in range: -want +got\n%s", diff)
	}
}

func TestLatencyRefusesForeignLayout(t *testing.T) {
	broken := map[string]func(*result.Histogram){
		"too short": func(h *result.Histogram) { h.Counts = h.Counts[1:] },
		"too long":  func(h *result.Histogram) { h.Counts = append(h.Counts, 0) },
		"negative":  func(h *result.Histogram) { h.Counts[3] = -1 },
		"digits":    func(h *result.Histogram) { h.Digits = 9 },
		"lowest":    func(h *result.Histogram) { h.LowestNS = math.MaxInt64 },
	}
	for name, breakIt := range broken {
		h := histogram(t, 0, 1, 2, 3)
		breakIt(h)
		if l, err := Latency(h); err == nil || !strings.Contains(err.Error(), "latency histogram of") {
			t.Errorf("%s: got %v, %v", name, l, err)
		}
	}
}

func TestMergeHistograms(t *testing.T) {
	a, b := histogram(t, 1, 10, 20), histogram(t, 2, 20, 30)
	before := histogram(t, 1, 10, 20)
	got, err := MergeHistograms(nil, a, nil, b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(histogram(t, 3, 10, 20, 20, 30), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(before, a); diff != "" {
		t.Errorf("an argument changed: -want +got\n%s", diff)
	}
	if got, err := MergeHistograms(nil, nil); got != nil || err != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	b.Digits = 2
	if _, err := MergeHistograms(a, b); err == nil {
		t.Error("different layouts were merged")
	}
}

func TestLittlesLaw(t *testing.T) {
	tests := []struct {
		iops, mean, inFlight, edge float64
		want                       result.CheckState
	}{
		{1e6, 128e3, 128, 0, result.CheckPass},
		{1e6, 117e3, 128, 0, result.CheckPass},
		{1e6, 105e3, 128, 0, result.CheckWarn},
		{1e6, 150e3, 128, 0, result.CheckWarn},
		{1e6, 32e3, 128, 0, result.CheckFail},
		{1e6, 256e3, 128, 0, result.CheckFail},
		{1e6, 105e3, 128, 0.2, result.CheckPass},
		{1e6, 90e3, 128, 0.1, result.CheckWarn},
		{0, 128e3, 128, 0, result.CheckUnknown},
		{1e6, 0, 128, 0, result.CheckUnknown},
		{1e6, 128e3, 0, 0, result.CheckUnknown},
		{math.NaN(), 128e3, 128, 0, result.CheckUnknown},
		{math.Inf(1), 128e3, 128, 0, result.CheckUnknown},
	}
	for _, tt := range tests {
		c := LittlesLaw(tt.iops, tt.mean, tt.inFlight, tt.edge)
		if c.State != tt.want || c.Code != "littles-law" || c.Text == "" {
			t.Errorf("LittlesLaw(%v, %v, %v) = %+v, want %s", tt.iops, tt.mean, tt.inFlight, c, tt.want)
		}
		if (c.Advice == "") != (c.State == result.CheckPass) {
			t.Errorf("advice of %+v", c)
		}
	}
}
