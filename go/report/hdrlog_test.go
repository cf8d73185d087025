package report

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// peakLayout is a histogram in the layout of the engine: 1 ns to 68 s, two digits.
func peakLayout(t *testing.T, values map[int64]int64) *result.Histogram {
	t.Helper()
	const highest = 1<<36 - 1
	h := hdrhistogram.New(1, highest, 2)
	for v, n := range values {
		if err := h.RecordValues(v, n); err != nil {
			t.Fatal(err)
		}
	}
	return &result.Histogram{LowestNS: 1, HighestNS: highest, Digits: 2, Counts: h.Export().Counts}
}

// inRange is latencyRun without the samples above the range, which a log cannot hold.
func inRange(t *testing.T) *result.Result {
	r := latencyRun()
	r.Histogram.Over = 0
	var err error
	if r.Latency, err = stats.Latency(r.Histogram); err != nil {
		t.Fatal(err)
	}
	return r
}

func peakLatencyRun(t *testing.T) *result.Result {
	r := latencyRun()
	r.Histogram = peakLayout(t, map[int64]int64{1: 1, 900: 5, 21_000: 1_000_000, 22_222: 500_000, 80_000: 900, 12_345_678: 3, 1<<36 - 1: 1})
	var err error
	if r.Latency, err = stats.Latency(r.Histogram); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestHDRLog reads the log back with the library and finds the document's figures.
func TestHDRLog(t *testing.T) {
	for name, r := range map[string]*result.Result{"three digits": inRange(t), "the engine's": peakLatencyRun(t)} {
		var b bytes.Buffer
		if err := WriteHDRLog(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"values are nanoseconds", "\n#[Histogram log format version 1.3]\n", "\n#[StartTime: 1785585600 ", "\n#[BaseTime: 1785585600 "} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %q: %.400s", name, want, b.String())
			}
		}
		line := b.String()[strings.LastIndex(strings.TrimSpace(b.String()), "\n")+1:]
		if !strings.HasPrefix(line, "0.000000,3.000000,") || !strings.Contains(line, ",HISTF") {
			t.Errorf("%s: interval %.80s", name, line)
		}
		log := hdrhistogram.NewHistogramLogReader(&b)
		h, err := log.NextIntervalHistogram()
		if err != nil || h == nil {
			t.Fatalf("%s: %v, %v", name, h, err)
		}
		l := r.Latency
		if h.TotalCount() != int64(l.Samples) || h.Min() != l.MinNS || h.Max() != l.MaxNS || math.Abs(h.Mean()-l.MeanNS) > 1e-9*l.MeanNS {
			t.Errorf("%s: %d samples from %d to %d, the document has %+v", name, h.TotalCount(), h.Min(), h.Max(), l)
		}
		for _, p := range l.Percentiles {
			if got := h.ValueAtPercentile(p.Percent); got != p.NS {
				t.Errorf("%s: %v%% is %d, the document says %d", name, p.Percent, got, p.NS)
			}
		}
		start, _ := time.Parse(time.RFC3339, r.Started)
		if h.StartTimeMs() != start.UnixMilli() || h.EndTimeMs()-h.StartTimeMs() != r.Summary.WindowNS/1e6 {
			t.Errorf("%s: from %d to %d", name, h.StartTimeMs(), h.EndTimeMs())
		}
		if h, err := log.NextIntervalHistogram(); h != nil || err != nil {
			t.Errorf("%s: a second interval, %v", name, err)
		}
	}
}

// TestHDRLogOfNothing has no interval; what is out of range is said.
func TestHDRLogOfNothing(t *testing.T) {
	none, empty, over := oneFileRun(), latencyRun(), latencyRun()
	empty.Histogram = peakLayout(t, nil)
	over.Histogram.Over = 7
	for r, want := range map[*result.Result]string{none: "", empty: "", over: "#7 samples above 1m are not in here\n"} {
		var b bytes.Buffer
		if err := WriteHDRLog(&b, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks %q:\n%.400s", want, b.String())
		}
		h, err := hdrhistogram.NewHistogramLogReader(&b).NextIntervalHistogram()
		if err != nil || (h == nil) != (want == "") {
			t.Errorf("%v, %v", h, err)
		}
	}
	bad := latencyRun()
	bad.Histogram.Counts = bad.Histogram.Counts[1:]
	path := filepath.Join(t.TempDir(), "a.hlog")
	if err := SaveHDRLog(path, bad); err == nil || !strings.HasPrefix(err.Error(), "write "+path+": latency histogram of ") {
		t.Errorf("a wrong layout: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is there")
	}
	if err := SaveHDRLog(path, latencyRun()); err != nil {
		t.Error(err)
	}
}
