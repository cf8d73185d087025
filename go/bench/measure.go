package bench

import (
	"runtime"
	"time"

	"ringpeak/go/affinity"
	"ringpeak/go/engine"
	"ringpeak/go/result"
)

const (
	// settleLimit bounds the wait for every submitter's first completion.
	settleLimit = 100 * time.Millisecond
	settleStep  = 200 * time.Microsecond
	// lookEvery is how often a run looks for the loss of its targets, and at
	// the number of its errors.
	lookEvery = 100 * time.Millisecond
)

// ending is why a window closed.
type ending struct {
	reason string // "time", "steady", "signal", "error"
	signal string
	member *member // the one that failed, if one did
	err    error   // what else ended it
}

// measure runs the window to its end.
func (r *run) measure(out *feed) ending {
	w := newWindow(r.res, r.crew.members)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	interval, total := r.Spec.Interval(), r.Spec.Runtime()
	r.meter.Begin()
	r.crew.setPhase(engine.PhaseMeasure)
	w.open()
	for i := 1; ; i++ {
		due := time.Duration(i) * interval
		short := total > 0 && due > total
		if short {
			due = total
		}
		end := r.waitUntil(timer, w, w.opened.Add(due), out)
		iv := w.take(short || end.reason != "")
		iv.Repeat = r.repeat
		switch {
		case end.reason != "":
		case r.tooMany(w.failed):
			end = ending{reason: "error", err: errTooMany}
		case r.isSteady():
			end.reason = "steady"
		case total > 0 && due >= total:
			end.reason = "time"
		}
		if end.reason != "" {
			r.meter.End()                     // of threads that are still at work
			r.crew.setPhase(engine.PhaseStop) // before anything else that takes time
			r.meter.EndMachine()
		}
		out.publish(r.res.Intervals)
		if end.reason != "" {
			r.balance(w.before)
			r.fullness = w.fullness
			return end
		}
	}
}

// balance notes what was in flight at the two ends of the window.
func (r *run) balance(before uint64) {
	r.inFlightBefore = before
	after := int64(before)
	for i := range r.res.Intervals {
		t := &r.res.Intervals[i].Total
		after += int64(t.Submitted) - int64(t.Completed) - int64(t.Failed)
	}
	r.inFlightAfter = uint64(max(after, 0))
}

// standAside keeps the reading thread off the submitters' CPUs, where there is
// another one to run on, until restore is called.
func (r *run) standAside() (restore func()) {
	if r.Spec.Pinning == result.PinNone || len(r.plan.Spare) == 0 {
		return func() {}
	}
	runtime.LockOSThread()
	_ = affinity.PinTo(r.plan.Spare) // a courtesy: without it the numbers are a little lower
	return func() {
		_ = affinity.PinTo(r.allowed)
		runtime.UnlockOSThread()
	}
}

// tooMany says whether more I/Os have failed than may, over all repeats: so
// many of this one, since its rings were opened.
func (r *run) tooMany(failed uint64) bool {
	return r.Spec.MaxErrors > 0 && r.failed+failed > uint64(r.Spec.MaxErrors)
}

// waitUntil sleeps until t, or less when something ends the run.
func (r *run) waitUntil(timer *time.Timer, w *window, t time.Time, out *feed) ending {
	for {
		left := time.Until(t)
		timer.Reset(min(left, lookEvery))
		select {
		case <-timer.C:
			lost := w.look()
			switch {
			case r.tooMany(w.failed):
				return ending{reason: "error", err: errTooMany}
			case lost:
				return ending{reason: "error", err: errAllFailed}
			case left <= lookEvery:
				return ending{}
			}
		case name := <-r.Stop:
			return ending{reason: "signal", signal: name}
		case m := <-r.crew.failed:
			return ending{reason: "error", member: m}
		case err := <-out.broken:
			return ending{reason: "error", err: observerError(err)}
		}
	}
}
