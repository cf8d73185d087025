package bench

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

func steadyRig(t *testing.T, runtime time.Duration) *rig {
	x := newRig(t, 1, 1)
	x.Spec.RuntimeNS, x.Spec.IntervalNS, x.Spec.SteadyRoundNS = int64(runtime), int64(100*ms), int64(200*ms)
	return x
}

// A device that stalls once is neither steady nor without drift.
func TestStallIsDriftAndNotSteady(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := steadyRig(t, 2*time.Second)
		x.only(0, fake.Script{PaceAt: func(round uint64) time.Duration {
			if round == 1400 {
				return 450 * ms
			}
			return ms
		}})
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		c, s := checkOf(res, "steady"), res.Summary
		if c.State != result.CheckWarn || !strings.Contains(c.Advice, "--until-steady") || s.Steady == nil || s.Steady.Attained || s.Steady.RangePercent < 50 {
			t.Errorf("check %+v, %+v", c, s.Steady)
		}
		if s.Trend == nil || s.Trend.DriftPercent > -10 || s.IOPSMin > 0.1*perSecond {
			t.Errorf("trend %+v, %+v", s.Trend, s)
		}
	})
	bubble(t, "and one that does not is", func(t *testing.T) {
		res, err := steadyRig(t, 2*time.Second).run()
		s := res.Summary
		if c := checkOf(res, "steady"); err != nil || c.State != result.CheckPass || s.Steady == nil || !s.Steady.Attained || s.Steady.StartNS != int64(time.Second) ||
			s.Steady.LengthNS != int64(time.Second) || s.Steady.RoundNS != int64(200*ms) {
			t.Errorf("%v, %+v, %+v", err, c, s.Steady)
		}
	})
	bubble(t, "with --strict", func(t *testing.T) {
		x := steadyRig(t, 2*time.Second)
		x.Spec.Strict = true
		x.only(0, slowUntil(120))
		_, err := x.run()
		wantError(t, err, result.StatusIO, "steady did not pass")
	})
	bubble(t, "too short to tell", func(t *testing.T) {
		res, _ := steadyRig(t, 900*ms).run()
		if c := checkOf(res, "steady"); c.State != result.CheckUnknown || res.Summary.Steady != nil || !strings.Contains(c.Text, "5 rounds of 200ms") {
			t.Errorf("%+v", c)
		}
	})
}

func TestUntilSteady(t *testing.T) {
	for _, slow := range []uint64{70, 80, 90, 95} { // rounds of 10 ms; a second of them would be steady
		bubble(t, fmt.Sprintf("attained after %d", slow), func(t *testing.T) {
			x := steadyRig(t, time.Minute)
			x.Spec.UntilSteady = true
			x.only(0, slowUntil(slow))
			res, err := x.run()
			if err != nil || res.End.Reason != "steady" {
				t.Fatalf("%v, %+v", err, res.End)
			}
			// At the end of the first round past five good ones, a second.
			if n, least := len(res.Intervals), int(slow)/10+9; n < least || n > least+3 || n%2 != 0 {
				t.Errorf("%d intervals", n)
			}
			if c := checkOf(res, "steady"); c.State != result.CheckPass || res.Summary.Steady.IOPSMean < 0.9*perSecond || res.Summary.IOPSMean > 0.8*perSecond {
				t.Errorf("%+v, %+v", c, res.Summary)
			}
		})
	}
	bubble(t, "not attained", func(t *testing.T) {
		x := steadyRig(t, 3*time.Second)
		x.Spec.UntilSteady = true
		x.only(0, fake.Script{PaceAt: func(round uint64) time.Duration {
			return ms + time.Duration(round%1000)*10*time.Microsecond // ever slower, and again
		}})
		res, err := x.run()
		if c := checkOf(res, "steady"); err != nil || res.End.Reason != "time" || len(res.Intervals) != 30 || c.State != result.CheckWarn || !strings.Contains(c.Advice, "-r") {
			t.Errorf("%v, %+v, %+v", err, res.End, c)
		}
	})
}
