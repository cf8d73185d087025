package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// repeatsRun is three repeats of three seconds after half a second of warm-up
// each, the last of them interrupted.
func repeatsRun() *result.Result {
	r := baseRun()
	r.Command = append(r.Command[:8], "-r3", "--warmup=0.5", "--repeat=3", "/dev/nvme1n1")
	r.Spec.WarmupNS, r.Spec.Repeat, r.Spec.SteadyRoundNS = second/2, 3, second
	rates := [][]uint64{{5806400, 5812345, 5798765}, {5706400, 5712345, 5698765}, {5906400}}
	for k, iops := range rates {
		one := baseRun()
		measure(one, iops...)
		for i := range one.Intervals {
			one.Intervals[i].Repeat = k + 1
		}
		partial := k == 2
		one.Intervals[len(one.Intervals)-1].Partial = partial
		conclude(one)
		rep := result.Repeat{Number: k + 1, Started: one.Started, Reason: "time", Summary: one.Summary, PerSubmitter: one.PerSubmitter, Checks: one.Checks}
		if partial {
			rep.Partial, rep.Reason = true, "signal"
		}
		r.Repeats = append(r.Repeats, rep)
		r.Intervals = append(r.Intervals, one.Intervals...)
	}
	r.End = result.End{Reason: "signal", Signal: "INT", Drained: true}
	conclude(r)
	s := &r.Summary
	s.InFlightBefore, s.InFlightAfter = 0, 0
	for _, rep := range r.Repeats {
		s.InFlightBefore += rep.Summary.InFlightBefore
		s.InFlightAfter += rep.Summary.InFlightAfter
	}
	s.Repeats, s.IOPSMedian95, s.IOPSMedian95Why = stats.SpreadOfRepeats(r.Repeats)
	return r
}

// steadyRun went on until it was steady: 70 intervals of 100 ms, a slow start.
func steadyRun() *result.Result {
	r := baseRun()
	r.Command = append(r.Command[:8], "--until-steady", "--interval=100ms", "/dev/nvme1n1")
	r.Spec.UntilSteady, r.Spec.RuntimeNS, r.Spec.IntervalNS, r.Spec.SteadyRoundNS = true, 600*second, second/10, second
	var iops []uint64
	for i := range 70 {
		v := uint64(580000 + 7919*i%4000)
		if i < 20 {
			v /= 2
		}
		iops = append(iops, v)
	}
	measure(r, iops...)
	for i := range r.Intervals {
		r.Intervals[i].StartNS, r.Intervals[i].LengthNS = int64(i)*second/10, second/10
	}
	r.End, r.Checks = result.End{Reason: "steady", Drained: true}, nil
	conclude(r)
	st, ok := stats.SteadyState(r.Intervals, 10)
	if !ok {
		panic("no rounds")
	}
	st.RoundNS = second
	r.Summary.Steady = &st
	return r
}

// lines runs a reporter over intervals that are made up as needed.
func lines(t *testing.T, style string, s result.Spec, intervals []result.Interval) []string {
	t.Helper()
	r := baseRun()
	s.Op, s.Polled = r.Spec.Op, r.Spec.Polled
	r.Spec = s
	r.Intervals = intervals
	var list []string
	for line := range strings.Lines(render(t, style, r)) {
		if strings.Contains(line, "IOPS=") && !strings.HasPrefix(line, "Maximum") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

// series is n intervals of one length, a thousand I/Os in each.
func series(n int, length time.Duration, repeat int) []result.Interval {
	c := result.Counters{Submitted: 1000, Completed: 1000, Calls: 10}
	var list []result.Interval
	for i := range n {
		list = append(list, result.Interval{
			StartNS: int64(i) * int64(length), LengthNS: int64(length), Repeat: repeat, Total: c,
			Submitters: []result.Counters{c}, InFlight: []uint32{7},
		})
	}
	return list
}

// TestNoFlood: what a terminal gets of short intervals and of many repeats.
func TestNoFlood(t *testing.T) {
	const ms = int64(time.Millisecond)
	got := lines(t, StyleNative, result.Spec{RuntimeNS: 3000 * ms, IntervalNS: 10 * ms}, series(300, 10*time.Millisecond, 0))
	if len(got) != 30 || got[0] != got[29] || !strings.HasPrefix(got[0], "IOPS=100.0K,") {
		t.Errorf("300 intervals of 10 ms: %d lines, first %q", len(got), got[0])
	}
	got = lines(t, StyleNative, result.Spec{RuntimeNS: 230 * ms, IntervalNS: 10 * ms}, series(23, 10*time.Millisecond, 0))
	if len(got) != 3 || !strings.HasSuffix(got[2], " (partial, 0.03s)") {
		t.Errorf("23 intervals of 10 ms: %q", got)
	}
	got = lines(t, StyleNative, result.Spec{RuntimeNS: 3000 * ms, IntervalNS: 100 * ms}, series(30, 100*time.Millisecond, 0))
	if len(got) != 30 {
		t.Errorf("30 intervals of 100 ms: %d lines", len(got))
	}
	var many []result.Interval
	for k := 1; k <= 40; k++ {
		warm := series(2, time.Second, k)
		warm[0].Warmup, warm[1].Warmup = true, true
		many = append(many, warm...)
		many = append(many, series(5, time.Second, k)...)
	}
	got = lines(t, StyleNative, result.Spec{RuntimeNS: 5000 * ms, WarmupNS: 2000 * ms, IntervalNS: 1000 * ms, Repeat: 40}, many)
	if len(got) != 40 {
		t.Errorf("40 repeats of 5 s: %d lines", len(got))
	}
	for i, line := range got {
		if want := fmt.Sprintf("repeat %d/40: IOPS=1000,", i+1); !strings.HasPrefix(line, want) {
			t.Errorf("%q, want %q", line, want)
		}
	}
	// Long ones have lines for their intervals, too.
	long := append(series(12, time.Second, 1), series(12, time.Second, 2)...)
	got = lines(t, StyleNative, result.Spec{RuntimeNS: 12000 * ms, IntervalNS: 1000 * ms, Repeat: 2}, long)
	if len(got) != 26 || !strings.HasPrefix(got[12], "repeat 1/2: ") || !strings.HasPrefix(got[25], "repeat 2/2: ") {
		t.Errorf("two repeats of 12 s: %q", got)
	}
	// The old styles print what those releases print: a line per interval.
	got = lines(t, "fio-3.42", result.Spec{RuntimeNS: 5000 * ms, IntervalNS: 1000 * ms, Repeat: 40}, many)
	if len(got) != 200 || !strings.HasPrefix(got[0], "IOPS=1000,") {
		t.Errorf("3.42: %d lines", len(got))
	}
}

// TestWarmupLines are marked as such, and the old styles have none.
func TestWarmupLines(t *testing.T) {
	const ms = int64(time.Millisecond)
	warm := series(3, time.Second, 0)
	for i := range warm {
		warm[i].Warmup = true
		warm[i].StartNS -= 3000 * ms
	}
	all := append(warm, series(2, time.Second, 0)...)
	spec := result.Spec{RuntimeNS: 2000 * ms, WarmupNS: 3000 * ms, IntervalNS: 1000 * ms}
	got := lines(t, StyleNative, spec, all)
	if len(got) != 5 {
		t.Fatalf("%q", got)
	}
	for i, line := range got {
		if strings.HasSuffix(line, " (warm-up)") != (i < 3) {
			t.Errorf("line %d: %q", i, line)
		}
	}
	if got := lines(t, "fio-3.29", spec, all); len(got) != 2 {
		t.Errorf("3.29: %q", got)
	}
	// What is left of a folded warm-up does not run into the window.
	short := series(13, 10*time.Millisecond, 0)
	for i := range short {
		short[i].Warmup = true
	}
	got = lines(t, StyleNative, result.Spec{RuntimeNS: 100 * ms, WarmupNS: 130 * ms, IntervalNS: 10 * ms}, append(short, series(10, 10*time.Millisecond, 0)...))
	if len(got) != 3 || !strings.HasSuffix(got[1], "(partial, 0.03s) (warm-up)") || strings.Contains(got[2], "(") && strings.Contains(got[2], "warm-up") {
		t.Errorf("%q", got)
	}
}

// TestTooFewForASpread: n/a and not 0.
func TestTooFewForASpread(t *testing.T) {
	r := baseRun()
	measure(r, 5806400)
	got := render(t, StyleNative, r)
	if !strings.Contains(got, "stddev=n/a\n") || !strings.Contains(got, "\nmedian     95% interval n/a: needs 60 whole intervals\n") {
		t.Errorf("one interval:\n%s", got)
	}
}
