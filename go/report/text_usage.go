package report

import (
	"fmt"
	"maps"
	"slices"

	"ringpeak/go/result"
)

// maxDevices is how many devices are named with their interrupts.
const maxDevices = 4

// usage writes what the submitters' threads spent, on average, and what was
// the limit:
//
//	cpu        99.5% busy: user=1.0%, system=98.5%, wait=0.5%, 83ns/IO, switches=0 vol + 30 invol
//	counters   310 cycles/IO, 640 instructions/IO, IPC=2.06
//	interrupts nvme0=8248 (1.00/IO), BLOCK softirqs=8244
//	bound      CPU-bound: …
//
// Shares are of the time of the submitters; what is unknown is "?". Counters,
// interrupts and page faults are left out where there are none to show.
func (t *Text) usage(r *result.Result) {
	if r.Usage == nil {
		return
	}
	u := &r.Usage.Total
	t.out.items("cpu", shareOf(u.RunNS, u.SpanNS)+" busy: user="+shareOf(u.UserNS, u.SpanNS), "system="+shareOf(u.SystemNS, u.SpanNS),
		"wait="+shareOf(u.WaitNS, u.SpanNS), figure(u.NSPerIO, 0)+"ns/IO",
		"switches="+count(u.VoluntarySwitches)+" vol + "+count(u.InvoluntarySwitches)+" invol", someFaults(u))
	if u.Cycles != nil && u.Completed > 0 {
		mode, part := "", ""
		if r.Usage.Counted == "user" {
			mode = "user space only"
		}
		if u.PMUShare != nil && *u.PMUShare < 0.995 {
			part = fmt.Sprintf("scaled up from %.0f%% of the time", 100**u.PMUShare)
		}
		t.out.items("counters", figure(u.CyclesPerIO, 0)+" cycles/IO", figure(u.InstructionsPerIO, 0)+" instructions/IO", "IPC="+figure(u.IPC, 2), mode, part)
	}
	t.interrupts(r)
	if b := r.Bound; b != nil {
		t.out.sentence("bound", boundNames[b.Verdict]+": "+printable(b.Why))
	}
}

var boundNames = map[result.Verdict]string{
	result.BoundCPU: "CPU-bound", result.BoundDevice: "device-bound", result.BoundMixed: "mixed", result.BoundUnknown: "unknown",
}

// interrupts are those of the devices, over the run.
func (t *Text) interrupts(r *result.Result) {
	m := &r.Usage.Machine
	if len(m.DeviceInterrupts) == 0 {
		return
	}
	var items []string
	if n := len(m.DeviceInterrupts); n > maxDevices {
		var sum int64
		for _, v := range m.DeviceInterrupts {
			sum += v
		}
		items = append(items, fmt.Sprintf("%d devices=%d", n, sum)+perCompletion(sum, r))
	} else {
		for _, name := range slices.Sorted(maps.Keys(m.DeviceInterrupts)) {
			v := m.DeviceInterrupts[name]
			items = append(items, fmt.Sprintf("%s=%d", printable(name), v))
			if n == 1 {
				items[0] += perCompletion(v, r)
			}
		}
	}
	if m.BlockSoftIRQs != nil {
		items = append(items, "BLOCK softirqs="+count(m.BlockSoftIRQs))
	}
	t.out.items("interrupts", items...)
}

// perCompletion relates interrupts to I/Os. Those of the start and the drain
// are among the interrupts, so it is rounded.
func perCompletion(n int64, r *result.Result) string {
	done := r.Usage.Total.Completed
	if n == 0 || done == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.2f/IO)", float64(n)/float64(done))
}

// usageTable has a row for each submitter when there are several.
func (t *Text) usageTable(r *result.Result) {
	if r.Usage == nil || len(r.Usage.Submitters) < 2 {
		return
	}
	const row = "%-9s %4s %7s %7s %7s %7s %8s %10s %12s %10s %7s"
	t.out.linef("")
	t.out.linef(row, "submitter", "cpu", "busy", "user", "system", "wait", "ns/IO", "voluntary", "involuntary", "migrations", "faults")
	line := func(name, on string, u *result.ThreadUsage) {
		t.out.linef(row, name, on, shareOf(u.RunNS, u.SpanNS), shareOf(u.UserNS, u.SpanNS), shareOf(u.SystemNS, u.SpanNS), shareOf(u.WaitNS, u.SpanNS),
			figure(u.NSPerIO, 0), count(u.VoluntarySwitches), count(u.InvoluntarySwitches), count(u.Migrations), faults(u))
	}
	for i := range r.Usage.Submitters {
		s := &r.Usage.Submitters[i]
		line(fmt.Sprint(s.Submitter), cpu(s.CPU), &s.ThreadUsage)
	}
	line("all", "", &r.Usage.Total)
}

func shareOf(part result.OptInt, of int64) string {
	if part == nil || of <= 0 {
		return "?"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(*part)/float64(of))
}

func figure(v result.OptFloat, decimals int) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprintf("%.*f", decimals, *v)
}

func count(n result.OptInt) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

func someFaults(u *result.ThreadUsage) string {
	if n := faults(u); n != "0" {
		return "faults=" + n
	}
	return ""
}

// faults are those of both kinds.
func faults(u *result.ThreadUsage) string {
	if u.MinorFaults == nil || u.MajorFaults == nil {
		return "?"
	}
	return fmt.Sprint(*u.MinorFaults + *u.MajorFaults)
}
