package usage

import (
	"fmt"
	"slices"
	"time"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// machine is what the machine has spent up to a moment.
type machine struct {
	at       time.Duration
	cpus     []sysfs.CPUTime
	cpusErr  error
	softirqs sysfs.SoftIRQs // nil: not readable
	quota    sysfs.Throttling
	thermal  sysfs.Int
	virtual  sysfs.Attr[bool]
}

func (m *Meter) readMachine() machine {
	out := machine{at: now()}
	out.cpus, out.cpusErr = m.tree.CPUTimes()
	out.softirqs, _ = m.tree.SoftIRQs() // absent is told by nil
	out.quota = m.tree.CPUThrottling()
	out.thermal = m.tree.ThermalThrottles()
	out.virtual = m.tree.Virtual()
	return out
}

// machineUsage is what was spent between two readings. cpus are those that
// the submitters run on.
func (f *figures) machineUsage(before, after *machine, cpus []int) result.MachineUsage {
	out := result.MachineUsage{SpanNS: int64(after.at - before.at), CPUs: []result.CPUUsage{}}
	f.cpuTimes(&out, before, after, cpus)
	if before.softirqs != nil && after.softirqs != nil {
		out.SoftIRQs = known(int64(after.softirqs.AllSince(before.softirqs)))
		out.BlockSoftIRQs = known(int64(after.softirqs.Since(before.softirqs, "BLOCK")))
	} else {
		f.unknown("softirqs, block_softirqs", "/proc/softirqs cannot be read")
	}
	out.QuotaThrottles = f.grown(before.quota.Times, after.quota.Times, "quota_throttles",
		"no cpu.stat of this process's control group can be read")
	out.QuotaThrottledNS = f.grown(before.quota.NS, after.quota.NS, "quota_throttled_ns",
		"no cpu.stat of this process's control group can be read")
	out.ThermalThrottles = f.grown(before.thermal, after.thermal, "thermal_throttles",
		"thermal throttling is not counted on this machine")
	return out
}

// cpuTimes puts the time of each CPU in relation to all time that it had
// between the readings, by its own account: its ticks need not be the span's.
func (f *figures) cpuTimes(out *result.MachineUsage, before, after *machine, cpus []int) {
	const keys = "cpus, steal_ns, interrupt_cpu"
	if before.cpusErr != nil || after.cpusErr != nil {
		f.unknown(keys, "/proc/stat cannot be read")
		return
	}
	var steal, stolenEver uint64
	for i := range after.cpus {
		now := &after.cpus[i]
		at := slices.IndexFunc(before.cpus, func(c sysfs.CPUTime) bool { return c.CPU == now.CPU })
		if at < 0 {
			continue
		}
		was := &before.cpus[at]
		u, ok := cpuUsage(was, now)
		if !ok {
			continue
		}
		stolenEver += now.Steal
		if out.InterruptCPUShare == nil || u.InterruptShare > *out.InterruptCPUShare {
			out.InterruptCPU, out.InterruptCPUShare = known(int64(u.CPU)), &u.InterruptShare
		}
		if slices.Contains(cpus, u.CPU) {
			out.CPUs = append(out.CPUs, u)
			steal += grownTicks(was.Steal, now.Steal)
		}
	}
	switch {
	case len(out.CPUs) == 0:
		f.unknown(keys, fmt.Sprintf("/proc/stat has no times of CPUs %s between the readings", sysfs.FormatCPUList(cpus)))
	case stolenEver == 0 && !(after.virtual.OK() && !after.virtual.Value):
		f.unknown("steal_ns", "this may be a virtual machine, and its hypervisor has not reported any steal since boot: perhaps it never does")
	default:
		out.StealNS = known(int64(steal) * sysfs.TickNS)
	}
}

func cpuUsage(was, now *sysfs.CPUTime) (result.CPUUsage, bool) {
	user := grownTicks(was.User+was.Nice, now.User+now.Nice)
	system := grownTicks(was.System, now.System)
	irq := grownTicks(was.IRQ+was.SoftIRQ, now.IRQ+now.SoftIRQ)
	iowait := grownTicks(was.IOWait, now.IOWait)
	idle := grownTicks(was.Idle, now.Idle) + iowait
	steal := grownTicks(was.Steal, now.Steal)
	all := float64(user + system + irq + idle + steal)
	if all == 0 {
		return result.CPUUsage{}, false
	}
	return result.CPUUsage{
		CPU:            now.CPU,
		BusyShare:      float64(user+system+irq) / all,
		IdleShare:      float64(idle) / all,
		IOWaitShare:    float64(iowait) / all,
		InterruptShare: float64(irq) / all,
		StealShare:     float64(steal) / all,
	}, true
}

// grownTicks is the growth of a counter that may run backwards: idle and
// iowait do (proc(5)).
func grownTicks(was, now uint64) uint64 { return now - min(was, now) }
