package bench

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

func TestChooseClock(t *testing.T) {
	failed := func(e syscall.Errno) error { return &engine.Error{Step: engine.StepClock, Errno: e} }
	tests := []struct {
		name    string
		asked   result.ClockChoice
		trusted bool
		fails   error
		latency bool
		want    result.ClockChoice
		why     string // not the TSC
		took    time.Duration
		note    bool
		err     string
	}{
		{name: "trusted", trusted: true, latency: true, want: result.ClockTSC, took: calibrateLatency},
		{name: "for the time split only", trusted: true, want: result.ClockTSC, took: calibrateSplit},
		{name: "not trusted", latency: true, want: result.ClockMonotonic, why: "hpet"},
		{name: "not wanted", asked: result.ClockMonotonic, trusted: true, latency: true, want: result.ClockMonotonic, why: "--clock=monotonic"},
		{name: "forced", asked: result.ClockTSC, latency: true, want: result.ClockTSC, took: calibrateLatency, note: true},
		{name: "wanted and trusted", asked: result.ClockTSC, trusted: true, latency: true, want: result.ClockTSC, took: calibrateLatency},
		{name: "uneven", trusted: true, latency: true, fails: failed(syscall.ERANGE), want: result.ClockMonotonic, why: "did not go together", took: calibrateLatency},
		{name: "forbidden", trusted: true, fails: failed(syscall.EACCES), want: result.ClockMonotonic, why: "PR_SET_TSC", took: calibrateSplit},
		{name: "there is none", asked: result.ClockTSC, latency: true, fails: failed(syscall.EOPNOTSUPP), took: calibrateLatency, err: "no time-stamp counter"},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x := newRig(t, 2, 1)
			x.Spec.Latency, x.Spec.Clock = tt.latency, tt.asked
			x.System.TSCTrusted = tt.trusted
			if !tt.trusted {
				x.System.WhyNotTSC = "the kernel's clocksource is hpet and not tsc"
			}
			x.eng.Clock, x.eng.CalibrateError = engine.Clock{Mult: 2 << 32, Hz: 5e8}, tt.fails
			res, err := x.run()
			var took []time.Duration
			if tt.took > 0 {
				took = []time.Duration{tt.took}
			}
			if got := x.eng.Calibrations(); !slices.Equal(got, took) {
				t.Errorf("calibrated for %v, want %v", got, took)
			}
			if tt.err != "" {
				wantError(t, err, result.StatusSetup, "--clock=tsc", tt.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			c := &res.Clock
			tsc := tt.want == result.ClockTSC
			if c.Source != tt.want || tsc != (c.TSCHz != nil && *c.TSCHz == 5e8) || (c.WhyNotTSC == "") != tsc || !strings.Contains(c.WhyNotTSC, tt.why) {
				t.Errorf("clock %+v", *c)
			}
			want := engine.Clock{}
			if tsc {
				want = x.eng.Clock
			}
			for _, s := range x.eng.Submitters() {
				if s.Config().Clock != want {
					t.Errorf("opened with %+v, want %+v", s.Config().Clock, want)
				}
			}
			if noted := slices.ContainsFunc(res.Notes, func(n result.Note) bool { return n.Code == "tsc-forced" }); noted != tt.note {
				t.Errorf("notes %+v", res.Notes)
			}
			if check := checkOf(res, "clock"); (check.State == result.CheckPass) != tt.latency {
				t.Errorf("check %+v", check)
			}
			if (c.DeviationPercent != nil) != (tsc && tt.latency) {
				t.Errorf("deviation %v", c.DeviationPercent)
			}
		})
	}
}

// One clock for the ceiling, all repeats and all attempts to open their rings.
func TestOneClock(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newCeilingRig(t, 1, 1, fake.Script{})
		x.Spec.Latency, x.Spec.Clock, x.Spec.Repeat = true, result.ClockTSC, 3
		x.System.WhyNotTSC = "the kernel's clocksource is hpet and not tsc"
		var opens atomic.Int32
		x.eng.Script = func(engine.Config) fake.Script {
			if opens.Add(1)%2 == 0 {
				return fake.Script{OpenError: &engine.Error{Step: engine.StepSetup, Errno: syscall.ENOMEM}}
			}
			return fake.Script{}
		}
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		if got := x.eng.Calibrations(); len(got) != 1 || opens.Load() != 7 {
			t.Errorf("calibrated for %v, opened %d times", got, opens.Load())
		}
		noted := 0
		for _, n := range res.Notes {
			if n.Code == "tsc-forced" {
				noted++
			}
		}
		if noted != 1 || res.Clock.TSCHz == nil || res.Clock.DeviationPercent == nil {
			t.Errorf("notes %+v, clock %+v", res.Notes, res.Clock)
		}
		for _, s := range x.eng.Submitters() {
			if s.Config().Clock != x.eng.Clock {
				t.Errorf("opened with %+v", s.Config().Clock)
			}
		}
	})
}

// The submitter whose clock is off most is the one that counts.
func TestClockDeviation(t *testing.T) {
	for off, want := range map[float64]result.CheckState{0: result.CheckPass, 0.0009: result.CheckPass, -0.0009: result.CheckPass, 0.0011: result.CheckFail, -0.0011: result.CheckFail} {
		bubble(t, "", func(t *testing.T) {
			x := newRig(t, 3, 1)
			x.Spec.Latency, x.System.TSCTrusted = true, true
			x.only(1, fake.Script{ClockOff: off})
			res, err := x.run()
			if err != nil {
				t.Fatal(err)
			}
			if c := checkOf(res, "clock"); c.State != want {
				t.Errorf("%v: %+v, want %s", off, c, want)
			}
			if got := *res.Clock.DeviationPercent; math.Abs(got-100*off) > 1e-4 {
				t.Errorf("%v: deviation %v %%", off, got)
			}
		})
	}
}

func TestTimeSplit(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.script = func(i int) fake.Script {
			if i == 0 {
				return fake.Script{Split: engine.Split{Rounds: 3, Waiting: 1, IOs: 10, Prepare: 100, Enter: 1000, Reap: 50, ReadPS: 25500}}
			}
			return fake.Script{Split: engine.Split{Rounds: 5, Waiting: 5, IOs: 30, Prepare: 500, Enter: 3000, Reap: 70, ReadPS: 20000}}
		}
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		want := result.TimeSplit{SampledRounds: 8, SampledIOs: 40, WaitingRounds: 6, PrepareNSPerIO: 15, EnterNSPerIO: 100, ReapNSPerIO: 3}
		if res.TimeSplit == nil || *res.TimeSplit != want {
			t.Errorf("%+v, want %+v", res.TimeSplit, want)
		}
		if ns := res.Clock.ReadNS; ns == nil || *ns != 25.5 {
			t.Errorf("reading takes %v", ns)
		}
	})
	bubble(t, "no round was sampled", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.only(0, fake.Script{Split: engine.Split{Rounds: 1, Enter: 1}})
		if res, err := x.run(); err != nil || res.TimeSplit != nil || res.Clock.ReadNS != nil {
			t.Errorf("%+v, %v", res.TimeSplit, err)
		}
	})
}
