package bench

import (
	"ringpeak/go/result"
)

// noteSettings tells what about the targets and the settings, each fine by
// itself, makes the number mean something else than it seems to.
func (r *run) noteSettings() {
	s := &r.Spec
	var bytes int64
	for i := range r.res.Targets {
		t := &r.res.Targets[i]
		bytes += t.SizeBytes
		if s.Polled == result.ChoiceNo && t.CanPoll == result.ChoiceYes {
			r.note("poll-queues-unused", "%s has poll queues and this run does not use them, because of -p0", t.Path)
		}
		// A tag shortage sends polled I/O to io-wq workers, silently.
		if n := t.NrRequests; r.polled && n != nil && int64(s.Depth) > *n {
			r.note("depth-above-tags", "depth %d is above the %d requests that a hardware queue of %s holds: polled I/O beyond them is punted to kernel workers; use -d%d or less",
				s.Depth, *n, t.Path, *n)
		}
	}
	if r.polled {
		r.noteQueues()
	}
	if r.firstErrorEnds() {
		r.note("first-error-ends", "the first error will end this run: before Linux 6.5, and this is %s, polled passthrough that goes on after errors can bring the kernel down",
			r.System.Kernel)
	}
	if s.Pinning != result.PinNone && len(r.plan.Spare) == 0 {
		r.note("no-spare-cpu", "all CPUs in use (%d) have a submitter: the thread that reads the counters takes its turns on them", len(r.plan.CPUs))
	}
	if have := r.System.MemAvailable; s.NeedsTarget() && !s.Direct && !s.Passthrough && have > 0 && bytes < have {
		r.note("page-cache", "buffered reads of %d MiB, which fit into the page cache (%d MiB available): after the first pass no device is involved",
			bytes>>20, have>>20)
	}
}
