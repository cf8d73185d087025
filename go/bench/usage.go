package bench

import (
	"slices"

	"ringpeak/go/device"
	"ringpeak/go/result"
	"ringpeak/go/usage"
)

// openMeter gets ready to read what the submitters' threads spend. They are
// open and do nothing yet.
func (r *run) openMeter() {
	threads := make([]usage.Thread, len(r.crew.members))
	var cpus []int
	for i, m := range r.crew.members {
		cpu := r.res.Placements[i].CPU
		threads[i] = usage.Thread{TID: m.tid, CPU: cpu, Counters: m.sub.Counters}
		cpus = append(cpus, cpu)
	}
	if slices.Contains(cpus, -1) {
		cpus = r.plan.CPUs
	}
	r.meter = usage.Open(r.Root, threads, cpus)
}

// fullness is how often a submitter was looked at while the window was open,
// and how often as much was in flight as its depth allows.
type fullness struct{ readings, full int }

// look takes one more reading. It does not allocate.
func (f *fullness) look(inFlight uint64, depth int) {
	f.readings++
	if inFlight >= uint64(depth) {
		f.full++
	}
}

// reckonUsage puts what was spent into the result, what limited the run, and
// what speaks against the submitters having had their CPUs to themselves.
func (r *run) reckonUsage() {
	u := r.meter.Figures()
	if u == nil {
		return
	}
	for i := range u.Submitters {
		s := &u.Submitters[i].ThreadUsage
		s.DepthReadings, s.AtDepth = r.fullness[i].readings, r.fullness[i].full
		u.Total.DepthReadings += s.DepthReadings
		u.Total.AtDepth += s.AtDepth
	}
	r.deviceInterrupts(u, r.evidence.InterruptsBefore, r.evidence.InterruptsAfter)
	bound := usage.Judge(u, usage.Load{
		NOP: r.Spec.Op == result.OpNop, Polled: r.polled, SQPoll: r.Spec.SQPoll,
		Depth: r.Spec.Depth, SubmitBatch: r.Spec.SubmitBatch, CompleteBatch: r.Spec.CompleteBatch,
		Workers: r.evidence.Workers,
	})
	r.res.Usage, r.res.Bound = u, &bound
	r.res.Checks = append(r.res.Checks, usage.Checks(u)...)
}

func (r *run) deviceInterrupts(u *result.Usage, before, after *device.Interrupts) {
	why := ""
	switch {
	case !r.Spec.NeedsTarget():
		why = "a NOP reads no device"
	case before == nil || after == nil:
		why = "/proc/interrupts cannot be read"
	default:
		if per := after.PerDevice(before, r.res.Targets); len(per) > 0 {
			u.Machine.DeviceInterrupts = per
			return
		}
		why = "the interrupts of these devices cannot be told apart in /proc/interrupts"
	}
	u.Unknown = append(u.Unknown, result.Unknown{What: "device_interrupts", Why: why})
}
