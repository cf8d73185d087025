package report

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"ringpeak/go/result"
)

func TestUnits(t *testing.T) {
	iops := map[float64]string{
		0: "0", 99999.4: "99999", 99999.5: "100.0K", 123456: "123.5K", 999949: "999.9K",
		999950: "1.00M", 7.42e6: "7.42M", 3.1e9: "3100.00M",
	}
	for v, want := range iops {
		if got := string(appendIOPS(nil, v)); got != want {
			t.Errorf("appendIOPS(%v) = %s, want %s", v, got, want)
		}
	}
	bw := map[float64]string{0: "0.0MiB/s", 1.5 * mib: "1.5MiB/s", gib: "1.00GiB/s", 3.54 * gib: "3.54GiB/s"}
	for v, want := range bw {
		if got := string(appendBW(nil, v)); got != want {
			t.Errorf("appendBW(%v) = %s, want %s", v, got, want)
		}
	}
	counts := map[int64]string{0: "0B", 512: "512B", 4096: "4KiB", 1536: "1536B", 3 << 20: "3MiB", 2 << 30: "2GiB"}
	for v, want := range counts {
		if got := byteCount(v); got != want {
			t.Errorf("byteCount(%d) = %s, want %s", v, got, want)
		}
	}
	durations := map[int64]string{
		10 * second: "10s", 60 * second: "1m", 90 * second: "1m30s", second / 4: "250ms",
		3600 * second: "1h", 36000 * second: "10h", 600 * second: "10m", 3630 * second: "1h0m30s",
	}
	for v, want := range durations {
		if got := duration(v); got != want {
			t.Errorf("duration(%d) = %s, want %s", v, got, want)
		}
	}
	for _, v := range []float64{math.NaN(), -1, math.Inf(-1), 0.4} {
		if rounded(v) != 0 {
			t.Errorf("rounded(%v) = %d", v, rounded(v))
		}
	}
}

// TestFioThresholds: the units change where those of t/io_uring do.
func TestFioThresholds(t *testing.T) {
	tests := []struct {
		iops      float64
		old, late string
	}{
		{100000, "100000", "100000"},
		{100001, "100K", "100.00K"},
		{1000000, "1000K", "1000.00K"},
		{1000001, "1000K", "1.00M"},
		{18490000, "18490K", "18.49M"},
	}
	old, _ := NewFio(nil, "3.29")
	late, _ := NewFio(nil, "3.42")
	for _, tt := range tests {
		if got := string(old.appendIOPS(nil, tt.iops)); got != tt.old {
			t.Errorf("3.29: %v is %s, want %s", tt.iops, got, tt.old)
		}
		if got := string(late.appendIOPS(nil, tt.iops)); got != tt.late {
			t.Errorf("3.42: %v is %s, want %s", tt.iops, got, tt.late)
		}
	}
	for v, want := range map[float64]string{0: "0MiB/s", 2000.9 * mib: "2000MiB/s", 2001 * mib: "1.95GiB/s", 2048 * mib: "2.00GiB/s"} {
		if got := string(late.appendBW(nil, v)); got != want {
			t.Errorf("3.42: bandwidth %v is %s, want %s", v, got, want)
		}
	}
	if got := string(old.appendBW(nil, 4096*mib)); got != "4096MiB/s" {
		t.Errorf("3.29: bandwidth is %s", got)
	}
}

func TestManyInFlight(t *testing.T) {
	counts := make([]uint32, 17)
	for i := range counts {
		counts[i] = uint32(i + 1)
	}
	if got := string(appendInFlight(nil, counts[:16])); got != "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16" {
		t.Errorf("16: %s", got)
	}
	if got := string(appendInFlight(nil, counts)); got != "sum 153, 1 to 17 in each of 17" {
		t.Errorf("17: %s", got)
	}
	// fio 3.29 lists them all.
	var b bytes.Buffer
	f, _ := NewFio(&b, "3.29")
	r := oneFileRun()
	if err := f.Interval(r, &result.Interval{LengthNS: second, InFlight: counts}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "IOPS=0, BW=0MiB/s, IOS/call=-1/-1, inflight=(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)\n" {
		t.Errorf("3.29: %s", got)
	}
}

func TestSmallForms(t *testing.T) {
	for want, n := range map[string][]int{"": nil, "3": {3}, "0-3,8": {0, 1, 2, 3, 8}, "0,2,4-5": {0, 2, 4, 5}} {
		if got := list(n); got != want {
			t.Errorf("list(%v) = %s, want %s", n, got, want)
		}
	}
	got := strings.Join(shellWords([]string{"a", "", "b c", "it's", "-b512", "/dev/x:1"}), " ")
	if want := `a '' 'b c' 'it'\''s' -b512 /dev/x:1`; got != want {
		t.Errorf("shellWords: %s, want %s", got, want)
	}
	got = strings.Join(shellWords([]string{"a\nb'c\\\"", "\xff1é", "\x1b[1m"}), " ")
	if want := `$'a\nb\'c\\"' $'\3771é' $'\033[1m'`; got != want {
		t.Errorf("shellWords: %s, want %s", got, want)
	}
	sum := &result.Summary{Total: result.Counters{Submitted: 90, Completed: 99, Failed: 1}, InFlightBefore: 20, InFlightAfter: 10}
	if got := balance(sum); got != "in flight 20 + submitted 90 = completed 99 + failed 1 + in flight 10" {
		t.Error(got)
	}
}
