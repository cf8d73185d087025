package bench

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"ringpeak/go/result"
)

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

func (r *run) note(code, format string, args ...any) {
	r.res.Notes = append(r.res.Notes, result.Notef(code, format, args...))
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
