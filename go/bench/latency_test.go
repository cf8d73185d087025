package bench

import (
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

func TestLatency(t *testing.T) {
	tests := []struct {
		name              string
		script            fake.Script
		complete, littles result.CheckState
		wantOver          bool
	}{
		{name: "right", script: fake.Script{Latency: 2 * ms}, complete: result.CheckPass, littles: result.CheckPass},
		{name: "a sample is missing", script: fake.Script{Latency: 2 * ms, LoseSamples: 1}, complete: result.CheckFail, littles: result.CheckPass},
		{name: "above the range", script: fake.Script{Latency: 2 * ms, OverSamples: 2}, complete: result.CheckPass, littles: result.CheckPass, wantOver: true},
		{name: "a fifth off", script: fake.Script{Latency: 2 * ms, InFlight: 8 / 1.2}, complete: result.CheckPass, littles: result.CheckWarn},
		{name: "half of what was in flight", script: fake.Script{Latency: 2 * ms, InFlight: 16}, complete: result.CheckPass, littles: result.CheckFail},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x := newRig(t, 2, 1)
			x.Spec.Latency = true
			x.script = func(int) fake.Script { return tt.script }
			res, err := x.run()
			if err != nil {
				t.Fatal(err)
			}
			if c := checkOf(res, "latency-complete"); c.State != tt.complete {
				t.Errorf("check %+v, want %s", c, tt.complete)
			}
			if c := checkOf(res, "littles-law"); c.State != tt.littles {
				t.Errorf("check %+v, want %s", c, tt.littles)
			}
			if res.Latency == nil || res.Histogram == nil {
				t.Fatal("no latency")
			}
			// The histogram keeps two digits.
			if mean := time.Duration(res.Latency.MeanNS); mean < 1980*time.Microsecond || mean > 2020*time.Microsecond {
				t.Errorf("mean %v, want about 2 ms", mean)
			}
			if got := res.Latency.OverRange > 0; got != tt.wantOver {
				t.Errorf("over range: %d", res.Latency.OverRange)
			}
			samples := res.Latency.Samples + res.Latency.OverRange
			if n := res.Summary.Total.Completed; samples+16 < n || samples > n+16 {
				t.Errorf("%d samples of %d completions", samples, n)
			}
		})
	}
}

func TestNoLatency(t *testing.T) {
	bubble(t, "not asked for", func(t *testing.T) {
		x := newRig(t, 1, 1)
		res, err := x.run()
		if err != nil || res.Latency != nil || res.Histogram != nil || checkOf(res, "latency-complete").Code != "" {
			t.Errorf("%v, %+v, %v", res.Latency, res.Checks, err)
		}
	})
	bubble(t, "nothing completed", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.Latency = true
		x.only(0, fake.Script{Block: fake.BlockKick})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "nothing was measured")
		if res.Latency != nil {
			t.Errorf("latency %+v of nothing", res.Latency)
		}
	})
	bubble(t, "nothing completed in the window", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.Latency, x.System.TSCTrusted = true, true
		x.only(0, fake.Script{IO: fake.FailFrom(1, syscall.EIO)})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "EIO")
		if c := checkOf(res, "clock"); res.Latency != nil || res.Histogram == nil || c.Code != "" || res.Clock.DeviationPercent != nil {
			t.Errorf("latency %+v, %+v of %+v", res.Latency, c, res.Clock)
		}
	})
	bubble(t, "one submitter broke", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.Spec.Latency = true
		x.only(1, fake.Script{IO: fake.FatalAt(80, syscall.ENXIO)})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "disappeared")
		if res.Latency == nil {
			t.Error("the latency of the other one is lost")
		}
	})
}
