package bench

import (
	"errors"
	"math"
	"syscall"
	"time"

	"ringpeak/go/check"
	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// How long the time-stamp counter is held against CLOCK_MONOTONIC before the
// run. Readings of the pair are good to 100 ns or so, which is 5 in a million
// of the longer one; sums of parts of rounds need no better than the shorter.
const (
	calibrateLatency = 20 * time.Millisecond
	calibrateSplit   = 4 * time.Millisecond
)

// chooseClock decides what stamps are taken from, and calibrates it: once, for
// the ceiling and all repeats.
func (r *run) chooseClock() error {
	c := &r.res.Clock
	c.Source = result.ClockMonotonic
	asked, trusted := r.Spec.Clock, r.System.TSCTrusted
	switch {
	case asked == result.ClockMonotonic:
		c.WhyNotTSC = "--clock=monotonic was given"
		return nil
	case asked == result.ClockAuto && !trusted:
		c.WhyNotTSC = r.System.WhyNotTSC
		return nil
	}
	length := calibrateSplit
	if r.Spec.Latency {
		length = calibrateLatency
	}
	clock, err := r.Engine.Calibrate(length)
	if err != nil {
		why := whyNoTSC(err)
		if asked == result.ClockTSC {
			return result.Errorf(result.StatusSetup, "--clock=tsc: %s; use --clock=auto", why)
		}
		c.WhyNotTSC = why
		return nil
	}
	r.clock = clock
	c.Source = result.ClockTSC
	hz := float64(clock.Hz)
	c.TSCHz = &hz
	if !trusted {
		r.note("tsc-forced", "time is taken from the time-stamp counter because of --clock=tsc, although %s: see the check named clock before you believe latencies",
			r.System.WhyNotTSC)
	}
	return nil
}

func whyNoTSC(err error) string {
	switch {
	case errors.Is(err, syscall.EOPNOTSUPP):
		return "this architecture has no time-stamp counter"
	case errors.Is(err, syscall.EACCES):
		return "this process may not read the time-stamp counter (PR_SET_TSC)"
	case errors.Is(err, syscall.ERANGE):
		return "the time-stamp counter and CLOCK_MONOTONIC did not go together while it was calibrated"
	}
	return err.Error()
}

// checkClock holds the clock of the latencies against CLOCK_MONOTONIC, over
// the whole window of each submitter.
func (r *run) checkClock(windows []*engine.Window) {
	if r.res.Clock.Source == result.ClockTSC {
		worst := 0.0
		for _, w := range windows {
			if off := float64(w.Clock)/float64(w.Length) - 1; math.Abs(off) >= math.Abs(worst) {
				worst = off
			}
		}
		percent := 100 * worst
		r.res.Clock.DeviationPercent = &percent
	}
	r.res.Checks = append(r.res.Checks, check.Clock(&r.res.Clock))
}

// timeSplit adds up where the submitters' time went. One that hangs in a call
// has nothing to say.
func (r *run) timeSplit() {
	var sum engine.Split
	for _, m := range r.crew.back() {
		s := m.sub.Split()
		sum.Rounds += s.Rounds
		sum.Waiting += s.Waiting
		sum.IOs += s.IOs
		sum.Prepare += s.Prepare
		sum.Enter += s.Enter
		sum.Reap += s.Reap
		sum.ReadPS = max(sum.ReadPS, s.ReadPS)
	}
	if sum.ReadPS > 0 {
		ns := float64(sum.ReadPS) / 1000
		r.res.Clock.ReadNS = &ns
	}
	if sum.IOs == 0 {
		return
	}
	per := func(d time.Duration) float64 { return float64(d) / float64(sum.IOs) }
	r.res.TimeSplit = &result.TimeSplit{
		SampledRounds:  sum.Rounds,
		SampledIOs:     sum.IOs,
		WaitingRounds:  sum.Waiting,
		PrepareNSPerIO: per(sum.Prepare),
		EnterNSPerIO:   per(sum.Enter),
		ReapNSPerIO:    per(sum.Reap),
	}
}
