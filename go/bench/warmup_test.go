package bench

import (
	"math"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// slowUntil is ten times as slow in its first n rounds of 10 ms.
func slowUntil(n uint64) fake.Script {
	return fake.Script{PaceAt: func(round uint64) time.Duration {
		if round <= n {
			return 10 * ms
		}
		return ms
	}}
}

// A device that is slow in its first second: the summary does not see it, nor
// does the latency, when it is warmed up for so long.
func TestWarmupHidesASlowStart(t *testing.T) {
	run := func(t *testing.T, warmup time.Duration) (*result.Result, *rig, []result.Interval) {
		x := newRig(t, 1, 1)
		x.Spec.Latency = true
		x.Spec.WarmupNS, x.Spec.RuntimeNS, x.Spec.IntervalNS = int64(warmup), int64(2*time.Second), int64(200*ms)
		x.only(0, slowUntil(100))
		var warm []result.Interval
		x.interval = func(_ *result.Result, iv *result.Interval) error {
			if iv.Warmup {
				warm = append(warm, *iv)
			}
			return nil
		}
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		return res, x, warm
	}
	bubble(t, "with", func(t *testing.T) {
		res, x, warm := run(t, 1100*ms)
		s := res.Summary
		if off := math.Abs(s.IOPSMean/perSecond - 1); off > 0.02 || s.IOPSMin < 0.95*perSecond || s.Intervals != 10 {
			t.Errorf("summary %+v", s)
		}
		if len(warm) != 6 || warm[0].StartNS != -int64(1100*ms) || rateOf(&warm[0]) > 0.2*perSecond || warm[5].LengthNS != int64(100*ms) {
			t.Errorf("%d warm intervals, first %+v", len(warm), warm)
		}
		// The histogram holds the window and nothing before it.
		if c := checkOf(res, "latency-complete"); c.State != result.CheckPass || res.Latency == nil ||
			res.Latency.Samples < s.Total.Completed || res.Latency.Samples > s.Total.Completed+16 {
			t.Errorf("latency %+v of %d completions: %+v", res.Latency, s.Total.Completed, c)
		}
		if x.took < 3100*ms || x.took > 3300*ms {
			t.Errorf("took %v", x.took)
		}
	})
	bubble(t, "without", func(t *testing.T) {
		res, _, warm := run(t, 0)
		if s := res.Summary; s.IOPSMin > 0.2*perSecond || s.IOPSMean > 0.7*perSecond || len(warm) != 0 || s.Trend == nil || s.Trend.DriftPercent < 50 {
			t.Errorf("summary %+v, trend %+v, %d warm", s, s.Trend, len(warm))
		}
	})
}

// Everything that ends a run ends it during the warm-up, too, and says so.
func TestEndsInWarmup(t *testing.T) {
	bubble(t, "signal", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.Spec.WarmupNS = int64(time.Minute)
		x.started = func(*result.Result) error {
			time.AfterFunc(time.Second, func() { x.stop <- "INT" })
			return nil
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "nothing was measured", "during its warm-up of 1m0s")
		if x.took > 1100*ms || res.End.Reason != "signal" || !res.End.Drained || len(res.Intervals) != 0 {
			t.Errorf("took %v, end %+v", x.took, res.End)
		}
	})
	bubble(t, "too many errors", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.WarmupNS, x.Spec.MaxErrors = int64(time.Minute), 10
		x.only(0, fake.Script{IO: fake.ShortEvery(7)})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "stopped above --max-errors 10", "short read")
		if x.took > time.Second || !res.End.Drained || res.End.Reason != "error" {
			t.Errorf("took %v, end %+v", x.took, res.End)
		}
	})
	bubble(t, "too many errors, before the warm-up's first reading", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.Spec.WarmupNS, x.Spec.IntervalNS, x.Spec.MaxErrors = int64(time.Minute), int64(time.Minute), 2
		// The other one keeps the run waiting for its first completion.
		x.script = func(i int) fake.Script {
			if i == 1 {
				return fake.Script{Pace: 30 * ms}
			}
			return fake.Script{IO: func(n uint64) fake.Outcome { return fake.Outcome{Short: n <= 3} }}
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "stopped above --max-errors 2", "3 I/Os failed")
		if x.took > 300*ms || res.End.Reason != "error" {
			t.Errorf("took %v, end %+v", x.took, res.End)
		}
	})
	bubble(t, "gone", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.WarmupNS = int64(time.Minute)
		x.only(0, fake.Script{IO: fake.FatalAt(100, syscall.ENODEV)})
		_, err := x.run()
		wantError(t, err, result.StatusIO, "disappeared")
	})
	bubble(t, "errors that are over", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.WarmupNS = int64(100 * ms)
		x.only(0, fake.Script{IO: fake.FailAt(5, syscall.EIO)})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "1 I/Os failed")
		if res.Summary.Total.Failed != 0 || len(res.Errors) != 1 || len(res.Intervals) != 5 {
			t.Errorf("%+v, errors %+v", res.Summary, res.Errors)
		}
	})
}
