package bench

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"ringpeak/go/check"
	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// The ceiling takes a quarter of the run, 250 ms at most. A fifth of that
// passes before anything is counted, for caches and clocks to warm up. Below
// 20 ms a rate is mostly noise, so a run of less than 80 ms has no ceiling.
const (
	ceilingMost  = 250 * time.Millisecond
	ceilingLeast = 20 * time.Millisecond
	ceilingShare = 4
	ceilingWarm  = 5
)

// ceilingTime is how long the NOPs may take, 0 for not at all.
func ceilingTime(runtime time.Duration) time.Duration {
	switch t := runtime / ceilingShare; {
	case runtime == 0 || t > ceilingMost:
		return ceilingMost
	case t < ceilingLeast:
		return 0
	default:
		return t
	}
}

// ceiling measures NOPs with the settings of the run, if they were asked for,
// and closes their rings again. The only error is a signal: whatever else goes
// wrong is the reason why there is no ceiling.
func (r *run) ceiling() error {
	if !r.Spec.Ceiling || !r.Spec.NeedsTarget() {
		return nil
	}
	c := &result.Ceiling{}
	r.res.Ceiling = c
	length := ceilingTime(r.Spec.Runtime())
	switch {
	case r.Spec.Engine != result.EngineURing:
		c.Reason = fmt.Sprintf("%s has no no-op", r.Spec.Engine)
		return nil
	case length == 0:
		c.Reason = fmt.Sprintf("a run of less than %v has none", ceilingShare*ceilingLeast)
		return nil
	}
	if r.Spec.Passthrough {
		c.NotKept = append(c.NotKept, "128-byte SQEs")
	}
	iv, err := r.nops(length, r.polled)
	if r.polled && err != nil && !errors.Is(err, errTooEarly) && !errors.Is(err, engine.ErrStuck) {
		// Older kernels refuse a NOP on a polled ring.
		c.NotKept = append(c.NotKept, "polling")
		iv, err = r.nops(length, false)
	}
	switch {
	case errors.Is(err, errTooEarly):
		return err
	case err != nil:
		c.Reason = "the no-ops failed: " + inShort(err)
		return nil
	}
	rate := float64(iv.Total.Completed) / (float64(iv.LengthNS) / 1e9)
	completed := int64(iv.Total.Completed)
	c.IOPS, c.WindowNS, c.Completed = &rate, &iv.LengthNS, &completed
	return nil
}

// inShort is what became of NOPs. The sentences of explain are about reads.
func inShort(err error) string {
	var known *result.Error
	var e *engine.Error
	switch {
	case errors.Is(err, engine.ErrStuck):
		return "they did not come back"
	case errors.As(err, &known):
		return known.Text
	case errors.As(err, &e):
		return errnoText(e.Errno)
	}
	return err.Error()
}

// nops is a run of its own inside this one: the same plan, other rings.
func (r *run) nops(length time.Duration, polled bool) (*result.Interval, error) {
	n := &run{
		Options: r.Options, res: &result.Result{}, allowed: r.allowed, plan: r.plan, polled: polled,
		clock: r.clock, ringsClosed: r.ringsClosed,
	}
	n.Spec = nopSpec(&r.Spec, length)
	n.res.Spec = n.Spec
	for _, p := range r.res.Placements {
		p.Targets = nil
		n.res.Placements = append(n.res.Placements, p)
	}
	err := n.openPatiently()
	r.ringsClosed = true
	if err != nil {
		return nil, err
	}
	percent := debug.SetGCPercent(-1)
	iv, err := n.countNops(length)
	drained := n.crew.stop(n.DrainTimeout)
	debug.SetGCPercent(percent)
	stuck, list := n.stuck(), n.failures()
	n.crew.close()
	switch {
	case err != nil:
		return nil, err
	case !drained || len(stuck) > 0:
		return nil, engine.ErrStuck
	case len(list) > 0:
		return nil, errors.New(inWords(&list[0]))
	case iv.Total.Completed == 0:
		return nil, errors.New("none completed")
	}
	return iv, nil
}

// nopSpec is what is left of a Spec without targets.
func nopSpec(s *result.Spec, length time.Duration) result.Spec {
	n := *s
	n.Op, n.Targets = result.OpNop, nil
	n.FixedBuffers, n.FixedFiles, n.Vectored, n.HugeFile = false, false, false, ""
	n.Passthrough = false
	n.RuntimeNS, n.IntervalNS = int64(length), int64(length)
	return n
}

// countNops starts the crew and counts in one interval.
func (r *run) countNops(length time.Duration) (*result.Interval, error) {
	w := newWindow(r.res, r.crew.members)
	restore := r.standAside()
	defer restore()
	close(r.crew.start)
	r.settle()
	if err := r.pass(length / ceilingWarm); err != nil {
		return nil, err
	}
	r.crew.setPhase(engine.PhaseMeasure)
	w.open()
	err := r.pass(length - length/ceilingWarm)
	iv := w.take(false)
	r.crew.setPhase(engine.PhaseStop)
	return iv, err
}

// pass lets time go by, or returns what ends the run before.
func (r *run) pass(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.Stop:
		return errTooEarly
	case m := <-r.crew.failed:
		return m.err
	}
}

// checkCeiling holds the result against the ceiling, where there could be one.
func (r *run) checkCeiling() {
	c := r.res.Ceiling
	if c == nil || r.Spec.Engine != result.EngineURing {
		return
	}
	if s := &r.res.Summary; c.IOPS != nil && s.Total.Completed > 0 {
		f := s.IOPSMean / *c.IOPS
		c.Fraction = &f
	}
	r.res.Checks = append(r.res.Checks, check.Ceiling(c))
}
