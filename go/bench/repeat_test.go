package bench

import (
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// repeatRig repeats 100 ms of five intervals after 40 ms of warm-up.
func repeatRig(t *testing.T, n, submitters, files int) *rig {
	x := newRig(t, submitters, files)
	x.Spec.Repeat, x.Spec.WarmupNS = n, int64(40*ms)
	return x
}

// nth gives the script of submitter 0 in its n-th life, from 1 on.
func (x *rig) nth(f func(n int) fake.Script) {
	var opened atomic.Int32
	x.script = func(i int) fake.Script {
		if i != 0 {
			return fake.Script{}
		}
		return f(int(opened.Add(1)))
	}
}

func TestRepeats(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := repeatRig(t, 7, 2, 1)
		x.Spec.Latency = true
		starts, told, last := 0, 0, 0
		x.started = func(*result.Result) error { starts++; return nil }
		x.interval = func(r *result.Result, iv *result.Interval) error {
			if iv.Repeat < last || iv.Repeat > last+1 {
				t.Errorf("repeat %d after %d", iv.Repeat, last)
			}
			if last = iv.Repeat; !iv.Warmup {
				told++
			}
			return nil
		}
		x.nth(func(n int) fake.Script {
			return fake.Script{Pace: ms + time.Duration(n)*10*time.Microsecond}
		})
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		if o, c := x.eng.Count(fake.Open), x.eng.Count(fake.Close); o != 14 || c != 14 || starts != 1 || told != 35 {
			t.Errorf("%d opened, %d closed, %d starts, %d told", o, c, starts, told)
		}
		// Closed before the next are opened, with the same seeds.
		open := 0
		seeds := map[uint64]int{}
		for _, e := range x.eng.Events() {
			switch e.What {
			case fake.Open:
				open++
				seeds[e.Seed]++
			case fake.Close:
				open--
			}
			if open > 2 {
				t.Fatal("rings of two repeats are open at a time")
			}
		}
		if len(seeds) != 2 || seeds[streamSeed(42, 0)] != 7 {
			t.Errorf("seeds %v", seeds)
		}
		if len(res.Repeats) != 7 || len(res.Intervals) != 35 || res.Intervals[34].Repeat != 7 || res.End.Reason != "time" || res.Started == "" {
			t.Fatalf("%d repeats, %d intervals, %+v", len(res.Repeats), len(res.Intervals), res.End)
		}
		checkRepeatSums(t, res)
		s := res.Summary
		if s.Repeats == nil || s.Repeats.Complete != 7 || s.Repeats.IOPSMedian != res.Repeats[3].Summary.IOPSMean || s.Steady != nil {
			t.Errorf("spread %+v", s.Repeats)
		}
		if m := s.IOPSMedian95; m == nil || m.Of != "repeats" || m.Low != s.Repeats.IOPSMin || m.High != s.Repeats.IOPSMax {
			t.Errorf("interval %+v", m)
		}
		if s.WindowNS != int64(700*ms) {
			t.Errorf("window %v", time.Duration(s.WindowNS))
		}
		if c := checkOf(res, "repeats-agree"); c.State != result.CheckPass {
			t.Errorf("%+v", c)
		}
		if c := checkOf(res, "latency-complete"); c.State != result.CheckPass || !strings.HasSuffix(c.Text, "(likewise in 6 more)") {
			t.Errorf("%+v", c)
		}
	})
}

// checkRepeatSums: what the repeats say adds up to what the whole says.
func checkRepeatSums(t *testing.T, res *result.Result) {
	t.Helper()
	var total result.Counters
	var window int64
	var samples uint64
	for i, r := range res.Repeats {
		if r.Number != i+1 {
			t.Errorf("repeat %d is called %d", i+1, r.Number)
		}
		total = total.Add(r.Summary.Total)
		window += r.Summary.WindowNS
		if r.Latency != nil {
			samples += r.Latency.Samples
		}
	}
	if s := res.Summary; total != s.Total || window != s.WindowNS {
		t.Errorf("repeats come to %+v in %d ns, the summary says %+v in %d", total, window, s.Total, s.WindowNS)
	}
	if res.Latency != nil && res.Latency.Samples != samples {
		t.Errorf("%d samples, %d in the repeats", res.Latency.Samples, samples)
	}
}

// A signal in the third of five ends it there, with what there is.
func TestSignalInARepeat(t *testing.T) {
	tests := []struct {
		name    string
		after   time.Duration
		repeats int
		partial bool
	}{
		{"in its window", 2*142*ms + 90*ms, 3, true},
		{"in its warm-up", 2*142*ms + 20*ms, 2, false},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x := repeatRig(t, 5, 2, 1)
			x.started = func(*result.Result) error {
				time.AfterFunc(tt.after, func() { x.stop <- "INT"; close(x.stop) })
				return nil
			}
			res, err := x.run()
			if err != nil || res.End.Reason != "signal" || res.End.Signal != "INT" || !res.End.Drained {
				t.Fatalf("%v, %+v", err, res.End)
			}
			if n := len(res.Repeats); n != tt.repeats || res.Repeats[n-1].Partial != tt.partial || res.Summary.Repeats.Complete != 2 {
				t.Errorf("%d repeats: %+v", n, res.Repeats[n-1])
			}
			if x.eng.Count(fake.Open) != 6 || x.eng.Count(fake.Close) != 6 {
				t.Errorf("%d opened", x.eng.Count(fake.Open))
			}
			checkRepeatSums(t, res)
		})
	}
	bubble(t, "while its rings are opened", func(t *testing.T) {
		x := repeatRig(t, 5, 1, 1)
		x.nth(func(n int) fake.Script {
			if n == 3 {
				time.AfterFunc(50*ms, func() { x.stop <- "TERM"; close(x.stop) })
				return fake.Script{OpenTakes: 100 * ms}
			}
			return fake.Script{}
		})
		res, err := x.run()
		if err != nil || res.End.Reason != "signal" || res.End.Signal != "TERM" || len(res.Repeats) != 2 || len(res.Intervals) != 10 {
			t.Errorf("%v, %+v", err, res.End)
		}
	})
	bubble(t, "in the warm-up of the first", func(t *testing.T) {
		x := repeatRig(t, 5, 1, 1)
		x.started = func(*result.Result) error {
			time.AfterFunc(20*ms, func() { x.stop <- "INT"; close(x.stop) })
			return nil
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "repeat 1 of 5", "nothing was measured")
		if len(res.Repeats) != 0 {
			t.Errorf("%+v", res.Repeats)
		}
	})
}

// A repeat that fails ends the run; the data of all is kept.
func TestFailingRepeat(t *testing.T) {
	bubble(t, "gone", func(t *testing.T) {
		x := repeatRig(t, 5, 1, 1)
		x.nth(func(n int) fake.Script {
			if n == 3 {
				return fake.Script{IO: fake.FatalAt(300, syscall.ENODEV)}
			}
			return fake.Script{}
		})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "repeat 3 of 5", "disappeared")
		if len(res.Repeats) != 3 || !res.Repeats[2].Partial || res.Repeats[2].Reason != "error" || res.End.Reason != "error" || x.eng.Count(fake.Open) != 3 {
			t.Errorf("%d repeats, %+v", len(res.Repeats), res.End)
		}
		checkRepeatSums(t, res)
	})
	bubble(t, "not opened again", func(t *testing.T) {
		x := repeatRig(t, 5, 1, 1)
		x.nth(func(n int) fake.Script {
			if n >= 2 { // and all further tries, which a lack of memory is worth
				return fake.Script{OpenError: &engine.Error{Step: engine.StepSetup, Errno: syscall.ENOMEM}}
			}
			return fake.Script{}
		})
		res, err := x.run()
		wantError(t, err, result.StatusSetup, "repeat 2 of 5", "ring for depth 8")
		if !errors.Is(err, syscall.ENOMEM) || len(res.Repeats) != 1 || res.Summary.IOPSMean == 0 || res.End.Reason != "error" {
			t.Errorf("%v, %+v", err, res.End)
		}
	})
	bubble(t, "stuck", func(t *testing.T) {
		x := repeatRig(t, 3, 1, 1)
		x.only(0, fake.Script{Stuck: 2})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "repeat 1 of 3", "did not come back")
		if res.End.Drained || x.eng.Count(fake.Open) != 1 {
			t.Errorf("%+v, %d opened", res.End, x.eng.Count(fake.Open))
		}
	})
	bubble(t, "errors that are counted do not", func(t *testing.T) {
		x := repeatRig(t, 4, 1, 1)
		x.nth(func(n int) fake.Script {
			if n%2 == 0 {
				return fake.Script{IO: fake.FailAt(200, syscall.EIO)}
			}
			return fake.Script{}
		})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "2 I/Os failed, all of them on", "EIO")
		if len(res.Repeats) != 4 || len(res.Errors) != 1 || res.Errors[0].Count != 2 {
			t.Errorf("%d repeats, %+v", len(res.Repeats), res.Errors)
		}
		checkRepeatSums(t, res)
	})
	bubble(t, "unless there are no others", func(t *testing.T) {
		x := repeatRig(t, 4, 1, 1)
		x.nth(func(n int) fake.Script {
			if n == 2 {
				return fake.Script{IO: fake.FailFrom(1, syscall.EIO)}
			}
			return fake.Script{}
		})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "repeat 2 of 4", "EIO")
		if len(res.Repeats) != 2 || res.Summary.IOPSMean == 0 {
			t.Errorf("%d repeats, %+v", len(res.Repeats), res.Summary)
		}
	})
	bubble(t, "--max-errors counts over all", func(t *testing.T) {
		x := repeatRig(t, 9, 1, 1)
		x.Spec.MaxErrors = 2
		x.nth(func(int) fake.Script { return fake.Script{IO: fake.FailAt(200, syscall.EIO)} })
		res, err := x.run()
		wantError(t, err, result.StatusIO, "stopped above --max-errors 2", "3 I/Os failed")
		if len(res.Repeats) != 3 || !res.Repeats[2].Partial {
			t.Errorf("%d repeats", len(res.Repeats))
		}
	})
}

// Repeats that differ are said to.
func TestRepeatsDiffer(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := repeatRig(t, 3, 1, 1)
		x.nth(func(n int) fake.Script { return fake.Script{Pace: time.Duration(n) * ms} })
		res, err := x.run()
		if c := checkOf(res, "repeats-agree"); err != nil || c.State != result.CheckWarn {
			t.Errorf("%v, %+v", err, c)
		}
		if s := res.Summary; s.IOPSMedian95 != nil || s.IOPSMedian95Why != "needs 6 complete repeats" || s.Trend == nil || s.Trend.DriftPercent > -50 {
			t.Errorf("%+v, %+v", s, s.Trend)
		}
	})
}

func TestWorstChecks(t *testing.T) {
	part := func(reason string, states ...result.CheckState) *result.Result {
		p := &result.Result{End: result.End{Reason: reason}}
		for i, s := range states {
			p.Checks = append(p.Checks, result.Check{Code: string(rune('a' + i)), State: s, Text: string(s)})
		}
		return p
	}
	const pass, warn, fail, unknown = result.CheckPass, result.CheckWarn, result.CheckFail, result.CheckUnknown
	got := worstChecks([]*result.Result{
		part("time", pass, pass, unknown, pass),
		part("time", pass, warn, pass, pass),
		part("steady", pass, fail, unknown, pass),
		part("signal", pass, warn, pass, unknown),
	})
	want := []result.Check{
		{Code: "a", State: pass, Text: "repeat 4: pass (likewise in 3 more)"},
		{Code: "b", State: fail, Text: "repeat 3: fail"},
		{Code: "c", State: unknown, Text: "repeat 1: unknown (likewise in 1 more)"},
		{Code: "d", State: pass, Text: "repeat 3: pass (likewise in 2 more)"},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}
