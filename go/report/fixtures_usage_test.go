package report

import (
	"ringpeak/go/result"
)

func ratio(n result.OptInt, by int64) result.OptFloat {
	v := float64(*n) / float64(by)
	return &v
}

// spend makes up what the submitters of a measured run spent: busy all the
// time and counted by hardware, or asleep for half of it and woken by interrupts.
func spend(r *result.Result, busy bool) {
	u := &result.Usage{Unknown: []result.Unknown{}}
	window := r.Summary.WindowNS
	sum := &u.Total
	sum.RunNS, sum.UserNS, sum.SystemNS, sum.WaitNS = known(0), known(0), known(0), known(0)
	sum.VoluntarySwitches, sum.InvoluntarySwitches, sum.Migrations = known(0), known(0), known(0)
	sum.Slices, sum.MinorFaults, sum.MajorFaults = known(0), known(0), known(0)
	for i, c := range r.PerSubmitter {
		run, slept, faults := window*998/1000, int64(0), int64(0)
		if !busy {
			run, slept, faults = window/2, int64(c.Calls), int64(i)
		}
		s := result.SubmitterUsage{Submitter: i, TID: r.Placements[i].TID, CPU: r.Placements[i].CPU}
		s.ThreadUsage = result.ThreadUsage{
			SpanNS: window, Completed: c.Completed, Calls: c.Calls,
			RunNS: known(run), UserNS: known(run / 8), SystemNS: known(run - run/8), WaitNS: known(window / 1000),
			Slices: known(slept + 12), VoluntarySwitches: known(slept), InvoluntarySwitches: known(12), Migrations: known(0),
			MinorFaults: known(faults), MajorFaults: known(0), DepthReadings: 30, AtDepth: 29,
		}
		conclusions(&s.ThreadUsage)
		u.Submitters = append(u.Submitters, s)
		sum.SpanNS, sum.Completed, sum.Calls = sum.SpanNS+s.SpanNS, sum.Completed+s.Completed, sum.Calls+s.Calls
		sum.DepthReadings, sum.AtDepth = sum.DepthReadings+s.DepthReadings, sum.AtDepth+s.AtDepth
		for k, dst := range adding(sum) {
			*dst += *adding(&s.ThreadUsage)[k]
		}
		u.Machine.CPUs = append(u.Machine.CPUs, result.CPUUsage{CPU: s.CPU, BusyShare: *s.CPUShare, IdleShare: 1 - *s.CPUShare})
	}
	m := &u.Machine
	m.SpanNS, m.StealNS, m.SoftIRQs, m.BlockSoftIRQs = window+second/500, known(0), known(4321), known(0)
	m.QuotaThrottles, m.QuotaThrottledNS = known(0), known(0)
	u.Unknown = append(u.Unknown, result.Unknown{What: "thermal_throttles", Why: "thermal throttling is not counted on this machine"})
	r.Bound = &result.Bound{Verdict: result.BoundDevice, Why: "the submitters ran 50.0% of the time and slept 49.9% (9000 times/s), waiting for I/O"}
	if busy {
		u.Counted = "user+kernel"
		for _, t := range []*result.ThreadUsage{&u.Submitters[0].ThreadUsage, sum} {
			t.Cycles, t.Instructions = known(3*t.SpanNS), known(6*t.SpanNS)
			one := 1.0
			t.PMUShare = &one
		}
		m.DeviceInterrupts = map[string]int64{"nvme1": 7}
		r.Bound = &result.Bound{Verdict: result.BoundCPU, Why: "always busy, the submitter had a full queue (128 in flight) at 2 of 30 readings: completions are there before anybody waits"}
	} else {
		m.DeviceInterrupts, m.BlockSoftIRQs = map[string]int64{"virtio1": int64(sum.Completed) / 2}, known(int64(sum.Completed)/2)
		u.Unknown = append(u.Unknown, result.Unknown{What: "cycles, instructions", Why: "this machine has no hardware counters"})
	}
	for i := range u.Submitters {
		conclusions(&u.Submitters[i].ThreadUsage)
	}
	conclusions(sum)
	r.Usage = u
}

func conclusions(t *result.ThreadUsage) {
	t.CPUShare, t.NSPerIO = ratio(t.RunNS, t.SpanNS), ratio(t.RunNS, int64(t.Completed))
	switches := *t.VoluntarySwitches + *t.InvoluntarySwitches
	t.SwitchesPerThousand = ratio(known(1000*switches), int64(t.Completed))
	if t.Cycles != nil {
		t.CyclesPerIO, t.InstructionsPerIO = ratio(t.Cycles, int64(t.Completed)), ratio(t.Instructions, int64(t.Completed))
		t.IPC = ratio(t.Instructions, *t.Cycles)
	}
}

func adding(t *result.ThreadUsage) []*int64 {
	return []*int64{t.RunNS, t.UserNS, t.SystemNS, t.WaitNS, t.Slices, t.VoluntarySwitches, t.InvoluntarySwitches, t.Migrations, t.MinorFaults, t.MajorFaults}
}
