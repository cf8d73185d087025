package bench

import (
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// settle waits until every submitter has completed something, so that the
// window sees full queues from its first moment on.
func (r *run) settle() {
	for deadline := time.Now().Add(settleLimit); time.Now().Before(deadline); {
		idle := false
		for _, m := range r.crew.members {
			c := m.sub.Counters()
			idle = idle || c.Completed+c.Failed == 0
		}
		if !idle {
			return
		}
		time.Sleep(settleStep)
	}
}

// warmUp lets all members go and returns when the window may open. What they
// do until then is told as it happens and counted nowhere but among the
// errors: IOPS and latency alike begin with PhaseMeasure. Its intervals are
// kept in a Result of their own.
func (r *run) warmUp(out *feed) ending {
	close(r.crew.start)
	r.settle()
	length := time.Duration(r.Spec.WarmupNS)
	if length == 0 {
		return ending{}
	}
	aside := &result.Result{Spec: r.Spec, Placements: r.res.Placements, Targets: r.res.Targets}
	aside.Spec.RuntimeNS = r.Spec.WarmupNS
	w := newWindow(aside, r.crew.members)
	w.open()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for i := 1; ; i++ {
		due := min(time.Duration(i)*r.Spec.Interval(), length)
		end := r.waitUntil(timer, w, w.opened.Add(due), out)
		iv := w.take(false)
		iv.StartNS -= int64(length)
		iv.Warmup, iv.Repeat = true, r.repeat
		if end.reason == "" && r.tooMany(w.failed) {
			end = ending{reason: "error", err: errTooMany}
		}
		if end.reason != "" {
			r.crew.setPhase(engine.PhaseStop)
		}
		out.publishWarmup(aside.Intervals)
		if end.reason != "" || due >= length {
			return end
		}
	}
}
