package bench

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// errAllFailed ends a run that has nothing left to measure.
var errAllFailed = fmt.Errorf("no I/O has succeeded for %v", lossLimit)

// shortestNS is the least window that a rate is taken from; config asks no
// less of -r.
const shortestNS = 10_000_000

// errTooMany ends one that was asked to.
var errTooMany = errors.New("too many errors")

// Causes of a verdict that does not end a series of repeats by itself.
var (
	errNothing = errors.New("nothing was measured")
	errCounted = errors.New("I/Os failed and were counted")
)

// conclude gives the run its exit status, and the error that goes with it.
func (r *run) conclude(err error) error {
	r.checkCeiling()
	if err == nil {
		err = r.strict()
	}
	r.res.End.Status = result.StatusOK
	if err == nil {
		return nil
	}
	var e *result.Error
	if !errors.As(err, &e) {
		e = result.Errorf(result.StatusIO, "%w", err)
	}
	r.res.End.Error, r.res.End.Status = e.Text, e.Status
	return e
}

// verdict is the error that the run ends with: what broke, what hangs, or
// that nothing was measured.
func (r *run) verdict(end ending) error {
	stuck := r.stuck()
	if len(stuck) > 0 {
		r.res.End.Drained = false
		r.res.End.Stuck = stuck
	}
	switch m := r.firstBroken(end); {
	case m != nil:
		return r.explain(m.err, m)
	case errors.Is(end.err, errAllFailed):
		return r.allFailed()
	case errors.Is(end.err, errTooMany):
		return r.stoppedAbove()
	case end.err != nil:
		return end.err
	case len(stuck) > 0:
		return result.Errorf(result.StatusIO,
			"I/O to %s did not come back within %v: the device or its driver hangs; look at the kernel log",
			joinTargets(stuck), r.DrainTimeout)
	case len(r.res.Errors) > 0:
		return r.someFailed()
	case r.overflows() > 0:
		return result.Errorf(result.StatusIO, "%d completions overflowed the completion queue: do not rely on this run", r.overflows())
	case len(r.res.Intervals) == 0:
		return result.Because(errNothing, result.StatusIO, "nothing was measured: the run ended during its warm-up of %v", time.Duration(r.Spec.WarmupNS))
	case r.res.Summary.WindowNS < shortestNS:
		return result.Because(errNothing, result.StatusIO, "nothing was measured: the run ended after %.1f ms, which is too short for a rate",
			float64(r.res.Summary.WindowNS)/1e6)
	case r.res.Summary.Total.Completed == 0:
		return result.Because(errNothing, result.StatusIO, "nothing was measured: no I/O completed in %.2f s",
			float64(r.res.Summary.WindowNS)/1e9)
	}
	return nil
}

// firstBroken is the member that ended the run, or the first one that failed
// while the others were stopping.
func (r *run) firstBroken(end ending) *member {
	if end.member != nil {
		return end.member
	}
	for _, m := range r.crew.back() {
		if m.err != nil {
			return m
		}
	}
	return nil
}

func (r *run) someFailed() error {
	n, e := countErrors(r.res.Errors), r.res.Errors[0]
	if e.Count == n {
		return result.Because(errCounted, result.StatusIO, "%d I/Os failed, all of them on %s with %s", n, e.Target, inWords(&e))
	}
	return result.Because(errCounted, result.StatusIO, "%d I/Os failed, %d of them on %s with %s", n, e.Count, e.Target, inWords(&e))
}

func (r *run) stoppedAbove() error {
	return result.Because(errTooMany, result.StatusIO, "stopped above --max-errors %d: %s", r.Spec.MaxErrors, r.someFailed())
}

func (r *run) allFailed() error {
	if len(r.res.Errors) == 0 {
		return errAllFailed
	}
	e := r.res.Errors[0]
	return result.Errorf(result.StatusIO,
		"stopped: %w; %s answers %s: has it gone? look at the kernel log", errAllFailed, e.Target, inWords(&e))
}

// stuck lists the targets of submitters that could not be drained, with the
// number of I/Os that did not come back.
func (r *run) stuck() []string {
	missing := map[int]uint32{} // by target, -1 for NOP
	var total uint32
	for i, m := range r.crew.members {
		if m.drained() {
			continue
		}
		targets := r.res.Placements[i].Targets
		if len(targets) == 0 {
			targets = []int{-1}
		}
		counts := make([]engine.FileCounters, len(targets))
		m.sub.Read(counts)
		for j, t := range targets {
			missing[t] += counts[j].InFlight
			total += counts[j].InFlight
		}
	}
	var list []string
	for t, n := range missing {
		if n > 0 || total == 0 { // without any in flight, all are suspect
			list = append(list, fmt.Sprintf("%s (%d in flight)", r.targetPath(t), n))
		}
	}
	sort.Strings(list)
	return list
}

func (r *run) targetPath(t int) string {
	if t < 0 || t >= len(r.res.Targets) {
		return "NOP"
	}
	return r.res.Targets[t].Path
}

// strict is the error of a run that was asked to take warnings seriously.
func (r *run) strict() error {
	if !r.Spec.Strict {
		return nil
	}
	var bad []string
	for _, c := range r.res.Checks {
		if c.State == result.CheckWarn || c.State == result.CheckFail {
			bad = append(bad, c.Code)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return result.Errorf(result.StatusIO, "--strict: %s did not pass", strings.Join(bad, ", "))
}
