package bench

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"ringpeak/go/device"
	"ringpeak/go/result"
)

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

// checkPolled holds a polled run against the interrupts that its devices
// raised. A few are other people's I/O; one for every hundred completions
// means that completions came that way.
func (r *run) checkPolled(before, after *device.Interrupts) {
	if !r.polled {
		return
	}
	for i := range r.res.Targets {
		if t := &r.res.Targets[i]; t.CanPoll == result.ChoiceNo {
			r.addCheck("polled", result.CheckFail, "use -p0, or give the device poll queues",
				"polling was asked for and is not in effect on %s: %s", t.Path, t.WhyNotPoll)
			return
		}
	}
	var total int64
	known := before != nil && after != nil
	if known {
		per := after.PerDevice(before, r.res.Targets)
		for _, n := range per {
			total += n
		}
		known = len(per) > 0
	}
	completed := int64(r.res.Summary.Total.Completed)
	switch {
	case !known:
		r.addCheck("polled", result.CheckUnknown, "trust queue/io_poll and the driver's documentation instead",
			"the interrupts of these devices cannot be told apart in /proc/interrupts")
	case total > completed/100+100:
		r.addCheck("polled", result.CheckFail, "look for other I/O on the device; see whether it has poll queues",
			"polled, and yet the devices raised %d interrupts for %d completions", total, completed)
	default:
		r.addCheck("polled", result.CheckPass, "", "the devices raised %d interrupts for %d completions", total, completed)
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
