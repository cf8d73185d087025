package bench

import (
	"ringpeak/go/affinity"
	"ringpeak/go/check"
	"ringpeak/go/device"
)

// lookBefore reads what the system has counted, before anything is submitted.
func (r *run) lookBefore() {
	r.evidence = check.Evidence{Result: r.res, Polled: r.polled}
	r.evidence.Before = check.Look(r.res.Targets, r.Root)
}

// lookWarm reads, right before the window, what must not include the warm-up.
func (r *run) lookWarm() {
	r.evidence.InterruptsBefore = r.readInterrupts()
}

// lookAtEnd reads, right after the window, what the drain would blur.
func (r *run) lookAtEnd() {
	r.evidence.Workers = affinity.KernelWorkers(r.Root)
	r.evidence.InterruptsAfter = r.readInterrupts()
}

// readInterrupts reads the interrupt counters around the window; nil when no
// device is read, or they are not readable. It takes milliseconds on large
// machines, so never inside the window.
func (r *run) readInterrupts() *device.Interrupts {
	if !r.Spec.NeedsTarget() {
		return nil
	}
	in, err := device.ReadInterrupts(r.Root)
	if err != nil {
		return nil
	}
	return in
}

// lookAfter reads the counters once everything has come back, as far as it did.
func (r *run) lookAfter() {
	r.evidence.After = check.Look(r.res.Targets, r.Root)
	for _, m := range r.crew.members {
		r.evidence.Totals = append(r.evidence.Totals, m.sub.Counters())
	}
	r.evidence.Overflows = r.overflows()
}

func (r *run) overflows() uint64 {
	var n uint64
	for _, m := range r.crew.members {
		n += m.sub.Overflows()
	}
	return n
}

// check adds the checks; err is what the run ended with, if it did not end well.
func (r *run) check(err error) {
	r.evidence.Gather(r.Root, err == nil && r.res.End.Drained)
	r.res.Checks = append(r.res.Checks, check.All(&r.evidence)...)
}

// CheckCodes are the codes of all checks that a run may have.
func CheckCodes() []string { return check.Codes() }
