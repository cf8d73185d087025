package bench

import (
	"fmt"
	"slices"
	"sort"
	"strings"

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

// noteQueues holds the submitters of a polled run against the poll queues: a
// queue that two submitters use costs both of them its locks.
func (r *run) noteQueues() {
	for i := range r.res.Targets {
		t := &r.res.Targets[i]
		cpus := r.submitterCPUs(i)
		if n := t.PollQueues; n != nil && int64(len(cpus)) > *n {
			r.note("few-poll-queues", "%s has %d poll queues for %d submitters, which then share them and their locks; use -n%d, or give it more queues",
				t.Path, *n, len(cpus), *n)
			continue
		}
		for _, q := range t.PollMap {
			var on []string
			for _, cpu := range cpus {
				if slices.Contains(q.CPUs, cpu) {
					on = append(on, fmt.Sprint(cpu))
				}
			}
			if len(on) > 1 {
				r.note("poll-queue-shared", "submitters on CPUs %s share poll queue %d of %s: place them with --cpus on CPUs of different queues",
					strings.Join(on, " and "), q.Index, t.Path)
			}
		}
	}
	for _, p := range r.res.Placements {
		if len(p.Targets) > 1 {
			r.note("many-files-polled", "submitter %d polls %d targets on one ring, which the kernel does by scanning instead of spinning: use a submitter per target (-n%d)",
				p.Submitter, len(p.Targets), len(r.res.Targets))
			return
		}
	}
}

// submitterCPUs are the CPUs of the submitters that read a target, one each;
// -1 for one that is not pinned.
func (r *run) submitterCPUs(target int) []int {
	var cpus []int
	for _, p := range r.res.Placements {
		if slices.Contains(p.Targets, target) {
			cpus = append(cpus, p.CPU)
		}
	}
	sort.Ints(cpus)
	return cpus
}

// note adds a note about the run.
func (r *run) note(code, format string, args ...any) {
	r.res.Notes = append(r.res.Notes, result.Notef(code, format, args...))
}
