package usage

import (
	"fmt"
	"slices"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// figures makes a result.Usage out of two readings, and notes what is missing.
type figures struct{ missing []result.Unknown }

func known(n int64) result.OptInt { return &n }

// unknown notes a reason once.
func (f *figures) unknown(what, why string) {
	u := result.Unknown{What: what, Why: why}
	if !slices.Contains(f.missing, u) {
		f.missing = append(f.missing, u)
	}
}

// grown is after − before, nil with the reason when one of them is not there.
func (f *figures) grown(before, after sysfs.Int, what, why string) result.OptInt {
	if !before.OK() || !after.OK() {
		f.unknown(what, why)
		return nil
	}
	return known(max(after.Value-before.Value, 0))
}

// Figures is what the threads and the machine have spent between Begin and
// End; nil without both.
func (m *Meter) Figures() *result.Usage {
	if m.before == nil || m.after == nil {
		return nil
	}
	f := &figures{}
	u := &result.Usage{Submitters: []result.SubmitterUsage{}, Counted: m.hw.mode()}
	for i, t := range m.threads {
		s := result.SubmitterUsage{Submitter: i, TID: t.TID, CPU: t.CPU}
		s.ThreadUsage = f.thread(&m.before[i], &m.after[i], m.hw.why)
		if s.Cycles == nil {
			u.Counted = ""
		}
		u.Submitters = append(u.Submitters, s)
	}
	u.Total = total(u.Submitters)
	u.Machine = f.machineUsage(&m.machineBefore, &m.machineAfter, m.cpus)
	u.Unknown = append([]result.Unknown{}, f.missing...)
	return u
}

const gone = "the thread has ended, or /proc/self/task does not show it"

// thread is the difference of two readings of one thread.
func (f *figures) thread(before, after *reading, whyNoHardware string) result.ThreadUsage {
	c := after.counters.Sub(before.counters)
	a, b := &after.task, &before.task
	t := result.ThreadUsage{
		SpanNS: int64(after.at - before.at), Completed: c.Completed, Calls: c.Calls,
		WaitNS: f.grown(b.WaitNS, a.WaitNS, "wait_ns, slices", "the kernel does not account for the run queue (CONFIG_SCHED_INFO)"),
		Slices: f.grown(b.Slices, a.Slices, "wait_ns, slices", "the kernel does not account for the run queue (CONFIG_SCHED_INFO)"),

		VoluntarySwitches:   f.grown(b.Voluntary, a.Voluntary, "voluntary_switches", gone),
		InvoluntarySwitches: f.grown(b.Involuntary, a.Involuntary, "involuntary_switches", gone),
		Migrations:          f.grown(b.Migrations, a.Migrations, "migrations", "/proc/PID/task/TID/sched is missing (CONFIG_SCHED_DEBUG)"),
		MinorFaults:         f.grown(b.MinorFaults, a.MinorFaults, "minor_faults, major_faults", gone),
		MajorFaults:         f.grown(b.MajorFaults, a.MajorFaults, "minor_faults, major_faults", gone),
	}
	f.times(&t, before, after)
	f.hardware(&t, before, after, whyNoHardware)
	perIO(&t)
	return t
}

// times takes the run time from the thread's CPU clock, else from schedstat,
// and divides it as the ticks of stat are divided.
func (f *figures) times(t *result.ThreadUsage, before, after *reading) {
	if before.clock.OK() && after.clock.OK() {
		t.RunNS = known(max(after.clock.Value-before.clock.Value, 0))
	} else {
		t.RunNS = f.grown(before.task.RunNS, after.task.RunNS, "run_ns, user_ns, system_ns, cpu_share", gone)
	}
	if t.RunNS == nil {
		return
	}
	user := f.grown(before.task.UserTicks, after.task.UserTicks, "user_ns, system_ns", gone)
	system := f.grown(before.task.SystemTicks, after.task.SystemTicks, "user_ns, system_ns", gone)
	if user == nil || system == nil {
		return
	}
	if *user+*system == 0 {
		f.unknown("user_ns, system_ns", fmt.Sprintf("the thread ran for less than a tick of %d ms", sysfs.TickNS/1_000_000))
		return
	}
	t.UserNS = known(int64(float64(*t.RunNS) * float64(*user) / float64(*user+*system)))
	t.SystemNS = known(*t.RunNS - *t.UserNS)
}

func (f *figures) hardware(t *result.ThreadUsage, before, after *reading, why string) {
	const keys = "cycles, instructions"
	v, share, ok := after.hw.since(before.hw)
	switch {
	case why != "":
		f.unknown(keys, why)
	case !ok:
		f.unknown(keys, neverCounted)
	default:
		t.Cycles, t.Instructions, t.PMUShare = known(int64(v[0])), known(int64(v[1])), &share
	}
}

// total adds the submitters up. What one of them lacks has no sum.
func total(all []result.SubmitterUsage) result.ThreadUsage {
	var sum result.ThreadUsage
	for i := range all {
		s := &all[i].ThreadUsage
		sum.SpanNS += s.SpanNS
		sum.Completed += s.Completed
		sum.Calls += s.Calls
		for k, dst := range optional(&sum) {
			switch v := *optional(s)[k]; {
			case i == 0 && v != nil:
				*dst = known(*v)
			case *dst != nil && v != nil:
				**dst += *v
			default:
				*dst = nil
			}
		}
	}
	if sum.Cycles != nil {
		least := 1.0
		for i := range all {
			least = min(least, *all[i].PMUShare)
		}
		sum.PMUShare = &least
	}
	perIO(&sum)
	return sum
}

// optional are the fields of t that add up.
func optional(t *result.ThreadUsage) []*result.OptInt {
	return []*result.OptInt{
		&t.RunNS, &t.UserNS, &t.SystemNS, &t.WaitNS, &t.Slices, &t.VoluntarySwitches, &t.InvoluntarySwitches,
		&t.Migrations, &t.MinorFaults, &t.MajorFaults, &t.Cycles, &t.Instructions,
	}
}

// perIO computes the figures that follow from the others.
//
//	cpu_share              = run_ns / span_ns
//	cpu_ns_per_io          = run_ns / completed, which is user + system time
//	switches_per_1000_ios  = 1000 × (voluntary + involuntary switches) / completed
//	cycles_per_io          = cycles / completed; instructions_per_io likewise
//	instructions_per_cycle = instructions / cycles
//
// Nothing is computed without its divisor.
func perIO(t *result.ThreadUsage) {
	t.CPUShare = ratio(t.RunNS, float64(t.SpanNS))
	t.NSPerIO = ratio(t.RunNS, float64(t.Completed))
	t.CyclesPerIO = ratio(t.Cycles, float64(t.Completed))
	t.InstructionsPerIO = ratio(t.Instructions, float64(t.Completed))
	if t.Cycles != nil {
		t.IPC = ratio(t.Instructions, float64(*t.Cycles))
	}
	if t.VoluntarySwitches != nil && t.InvoluntarySwitches != nil {
		t.SwitchesPerThousand = ratio(known(1000*(*t.VoluntarySwitches+*t.InvoluntarySwitches)), float64(t.Completed))
	}
}

func ratio(n result.OptInt, by float64) result.OptFloat {
	if n == nil || !(by > 0) {
		return nil
	}
	v := float64(*n) / by
	return &v
}
