package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// writes records each Write.
type writes struct{ got []string }

func (w *writes) Write(b []byte) (int, error) {
	w.got = append(w.got, string(b))
	return len(b), nil
}

func TestOneWritePerLine(t *testing.T) {
	for name, r := range runs() {
		for _, style := range Styles() {
			var w writes
			rep, err := New(&w, style)
			if err != nil {
				t.Fatal(err)
			}
			if err := follow(rep, r); err != nil {
				t.Fatal(err)
			}
			for _, s := range w.got {
				if strings.Count(s, "\n") != 1 || !strings.HasSuffix(s, "\n") {
					t.Errorf("%s, %s: one Write of %q", name, style, s)
				}
			}
		}
	}
}

func TestIntervalDoesNotAllocate(t *testing.T) {
	r := errorsRun()
	many := r.Intervals[1]
	many.Partial = true
	for range 100 {
		many.InFlight = append(many.InFlight, 128)
	}
	for _, style := range Styles() {
		rep, err := New(io.Discard, style)
		if err != nil {
			t.Fatal(err)
		}
		n := testing.AllocsPerRun(100, func() {
			for i := range r.Intervals {
				err = errors.Join(err, rep.Interval(r, &r.Intervals[i]))
			}
			err = errors.Join(err, rep.Interval(r, &many))
		})
		if n != 0 || err != nil {
			t.Errorf("%s: %v allocations, %v", style, n, err)
		}
	}
}

// full is a writer that takes some lines and then fails.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.left == 0 {
		return 0, errFull
	}
	f.left--
	return len(b), nil
}

func TestWriterErrorsAreReturned(t *testing.T) {
	r := errorsRun()
	for _, style := range Styles() {
		lines := strings.Count(render(t, style, r), "\n")
		for n := range lines {
			rep, err := New(&full{left: n}, style)
			if err != nil {
				t.Fatal(err)
			}
			if err := follow(rep, r); !errors.Is(err, errFull) {
				t.Fatalf("%s: after %d lines: %v", style, n, err)
			}
			if err := rep.Interval(r, &r.Intervals[0]); !errors.Is(err, errFull) {
				t.Fatalf("%s: the error is forgotten: %v", style, err)
			}
		}
	}
}

func TestUnknownStyle(t *testing.T) {
	if _, err := New(io.Discard, "fio-2.0"); err == nil || !strings.Contains(err.Error(), "fio-3.29") {
		t.Errorf("got %v", err)
	}
	if _, err := NewFio(io.Discard, "2.0"); err == nil {
		t.Error("NewFio took 2.0")
	}
	if want := []string{"native", "fio-3.29", "fio-3.33", "fio-3.42"}; !slices.Equal(Styles(), want) {
		t.Errorf("styles %v", Styles())
	}
}

// TestPeerBytes renders the figures of a real run of t/io_uring -t1 on a file
// (testdata/peer-3.42.txt holds what it printed) and wants the same bytes.
func TestPeerBytes(t *testing.T) {
	want, err := os.ReadFile("testdata/peer-3.42.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := baseRun()
	r.Spec.BlockSize, r.Spec.Latency = 4096, true
	r.Targets[0] = file("f")
	r.Placements[0].TID, r.Placements[0].Node = 5308, -1
	r.Granted.Polled, r.Granted.CQEntries = false, 128
	for i, n := range []uint64{75552, 77376} {
		c := result.Counters{Submitted: n + 32, Completed: n, Bytes: n * 4096, Calls: n/32 + 1}
		r.Intervals = append(r.Intervals, result.Interval{
			StartNS: int64(i) * second, LengthNS: second, Total: c,
			Submitters: []result.Counters{c}, InFlight: []uint32{128},
		})
	}
	conclude(r)
	usec := []int64{1134, 1181, 1212, 1275, 1322, 1368, 1447, 1587, 2205, 2361, 2611, 2986, 6348, 7286, 8943, 9318, 9443}
	percents := []float64{1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99}
	r.Latency = &result.Latency{Samples: 1}
	for i := range usec {
		r.Latency.Percentiles = append(r.Latency.Percentiles, result.Percentile{Percent: percents[i], NS: usec[i]*1000 - 500})
	}
	if diff := cmp.Diff(string(want), render(t, "fio-3.42", r)); diff != "" {
		t.Errorf("-peer +ours\n%s", diff)
	}
}

// after is the text of style from the first line that starts with prefix on.
func after(t *testing.T, style, prefix string, r *result.Result) string {
	t.Helper()
	text := "\n" + render(t, style, r)
	_, rest, ok := strings.Cut(text, "\n"+prefix)
	if !ok {
		t.Fatalf("no line starts with %q in\n%s", prefix, text)
	}
	return prefix + rest
}

func TestLatencyWithoutSamplesIsNotZero(t *testing.T) {
	r := oneFileRun()
	r.Spec.Latency = true
	if got := after(t, StyleNative, "latency", r); !strings.HasPrefix(got, "latency    n/a, no samples\n") {
		t.Errorf("native: %q", got)
	}
	want := "1206: Latency percentiles:\n    percentiles (nsec): n/a\n"
	if got := after(t, "fio-3.42", "1206", r); got != want {
		t.Errorf("fio: %q", got)
	}
	r.Latency = &result.Latency{OverRange: 9}
	r.Histogram = &result.Histogram{HighestNS: 60 * second}
	if got := after(t, StyleNative, "latency", r); !strings.HasPrefix(got, "latency    n/a, no samples in range, >60.0s: 9 samples\n") {
		t.Errorf("native, all over range: %q", got)
	}
	if got := after(t, "fio-3.29", "1206", r); got != want+"     | >60.0s: 9 samples\n" {
		t.Errorf("fio, all over range: %q", got)
	}
}

func TestFioLatencyUnits(t *testing.T) {
	points := func(ns ...int64) *result.Latency {
		l := &result.Latency{Samples: 1}
		for i, n := range ns {
			l.Percentiles = append(l.Percentiles, result.Percentile{Percent: float64(10 * (i + 1)), NS: n})
		}
		return l
	}
	tests := []struct {
		latency *result.Latency
		want    string
	}{
		{points(2000, 1e6), "    percentiles (nsec):\n     | 10.0000th=[   2000], 20.0000th=[1000000]\n"},
		{points(2001, 99999), "    percentiles (nsec):\n     | 10.0000th=[ 2001], 20.0000th=[99999]\n"},
		{points(2001, 100000), "    percentiles (usec):\n     | 10.0000th=[    3], 20.0000th=[  100]\n"},
	}
	for _, tt := range tests {
		r := oneFileRun()
		r.Latency = tt.latency
		if got := after(t, "fio-3.42", "    percentiles", r); got != tt.want {
			t.Errorf("got\n%swant\n%s", got, tt.want)
		}
	}
}

func TestEndings(t *testing.T) {
	r := oneFileRun()
	r.End = result.End{Reason: "error", Error: "reap /dev/nvme1n1: no such device", Stuck: []string{"/dev/nvme1n1"}}
	want := "Exiting on error: reap /dev/nvme1n1: no such device\nNot drained: I/O did not come back from /dev/nvme1n1\n"
	r.Errors = []result.ErrorCount{{Target: "/dev/nvme1n1", Errno: 19, Count: 128}} // while draining
	last := "\n5.81M IOPS (5.80M to 5.81M in 3 intervals). 128 I/Os failed. The run ended early.\n"
	if got := after(t, StyleNative, "Exiting", r); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, last) {
		t.Errorf("native: %q", got)
	}
	if got := after(t, "fio-3.42", "Exiting", r); got != "Exiting on error\nMaximum IOPS=5.81M\n" {
		t.Errorf("fio: %q", got)
	}
}

// TestNothingMeasured: no interval, no samples, and still whole sentences.
func TestNothingMeasured(t *testing.T) {
	r := baseRun()
	conclude(r)
	r.Checks = nil
	want := "\nMaximum IOPS=0 (best single interval)\nNothing was measured: no I/O completed. No I/O errors.\n"
	if got := render(t, StyleNative, r); !strings.HasSuffix(got, want) || strings.Contains(got, "NaN") {
		t.Errorf("native:\n%s", got)
	}
	if got := after(t, "fio-3.29", "Exiting", r); got != "Exiting on timeout\n" {
		t.Errorf("3.29 leaves out a maximum of 0: %q", got)
	}
	if got := after(t, "fio-3.42", "Exiting", r); got != "Exiting on timeout\nMaximum IOPS=0\n" {
		t.Errorf("3.42: %q", got)
	}
}

func TestOtherEngines(t *testing.T) {
	r := oneFileRun()
	for kind, want := range map[result.EngineKind]string{result.EngineAIO: "Engine=aio\n", result.EnginePreadv2: "Engine=preadv2\n"} {
		r.Spec.Engine = kind
		for _, style := range Styles() {
			if got := render(t, style, r); !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", style, want, got)
			}
		}
	}
}

// TestNamesStayInTheirLine: a file name cannot forge a line.
func TestNamesStayInTheirLine(t *testing.T) {
	r := oneFileRun()
	r.Targets[0].Path = "x\nIOPS=9.99M"
	r.Command = []string{"ringpeak", r.Targets[0].Path}
	for _, style := range Styles() {
		var b bytes.Buffer
		rep, _ := New(&b, style)
		if err := rep.Started(r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "\nIOPS=") {
			t.Errorf("%s:\n%s", style, b.String())
		}
	}
}
