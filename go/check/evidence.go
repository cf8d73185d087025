package check

import (
	"fmt"

	"ringpeak/go/device"
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Evidence is what the checks of one run look at.
type Evidence struct {
	Result *result.Result // complete, but for Checks and the end's status
	Polled bool           // polling was in effect, or asked for

	// Totals are each submitter's counters since it was opened, once the crew
	// has been drained: warm-up and drain included.
	Totals    []result.Counters
	Overflows uint64 // CQEs
	Workers   int    // io-wq threads at the end of the window; -1 is unknown

	// Interrupts right before and right after the window; nil when unread.
	InterruptsBefore, InterruptsAfter *device.Interrupts
	Before, After                     Moment // around everything that was submitted

	Disks    map[string]*Disk // by name, those in which the targets' I/O ends
	Contents []Contents       // by target
	Siblings map[int][]int    // hardware threads of a submitter's core, by CPU
	Kernel   Kernel
}

// Moment is what the disks had counted at one moment, by name.
type Moment map[string]DiskMoment

// DiskMoment is one disk's.
type DiskMoment struct {
	Stat        sysfs.Attr[sysfs.Stat]
	IOStats     sysfs.Int // queue/iostats: whether Stat counts
	Passthrough sysfs.Int // queue/iostats_passthrough
}

// Disk is what holds for a disk during the whole run.
type Disk struct {
	Block  *sysfs.Block
	Owner  string             // of its queues: the controller of an NVMe namespace, else the disk
	Paths  []string           // below the head of native NVMe multipath, which has no queues itself; among Disks as well
	Queues []result.PollQueue // those that interrupt-driven reads go to; nil is unknown or none
	Loop   sysfs.Loop
	// BackingFS is the type of the file system that a loop device's file is on.
	BackingFS string
}

// Contents is what is known of the data that a target's reads return.
type Contents struct {
	Extents    *device.Extents // of a file; nil when not known
	ExtentsErr error
	Samples    *device.Samples // nil when none were taken
	SamplesErr error
	// Used of Size LBAs are allocated (NUSE, NSZE), of an NVMe namespace.
	Used, Size result.OptInt
}

// Kernel is what shows whether it is one for debugging.
type Kernel struct {
	Config    sysfs.KernelConfig
	Debugging sysfs.Debugging
}

// All makes the checks of a run, in a fixed order; those that do not apply to
// it are left out.
func All(e *Evidence) []result.Check {
	list := []result.Check{Accounting(e.Totals, e.Result.End.Drained)}
	add := func(c *result.Check) {
		if c != nil {
			list = append(list, *c)
		}
	}
	s := &e.Result.Spec
	if s.Engine == result.EngineURing {
		list = append(list, Overflow(e.Overflows))
	}
	add(Stalled(e.Result))
	add(Late(e.Result))
	if s.Engine == result.EngineURing {
		list = append(list, Workers(e.Workers))
	}
	if s.NeedsTarget() {
		add(Polled(e))
		gs := groups(e)
		add(deviceReads(e, gs))
		add(otherIO(e, gs))
		add(medium(e))
		add(pageCache(e))
		add(coverage(e))
		add(written(e))
		add(sameData(e))
		add(cpuShared(e))
		add(queueShared(e))
		add(tags(e))
		add(blockSize(e))
		add(queueSettings(e))
	} else {
		add(cpuShared(e))
	}
	list = append(list, debugKernel(e))
	return list
}

// finding is the outcome of a check for one target, disk or group of them.
type finding struct {
	state        result.CheckState
	text, advice string
}

func found(state result.CheckState, advice, format string, args ...any) finding {
	if state == result.CheckPass {
		advice = ""
	}
	return finding{state, fmt.Sprintf(format, args...), advice}
}

func (f finding) check(code string) result.Check {
	return result.Check{Code: code, State: f.state, Text: f.text, Advice: f.advice}
}

// worst is the check that findings come to: the first of the worst, and how
// many more there are of them. It is nil without any.
func worst(code string, list []finding) *result.Check {
	if len(list) == 0 {
		return nil
	}
	at, alike := 0, 0
	for i, f := range list {
		switch d := f.state.Severity() - list[at].state.Severity(); {
		case d > 0:
			at, alike = i, 0
		case d == 0 && i != at && f.text != list[at].text:
			alike++
		}
	}
	c := list[at].check(code)
	if alike > 0 {
		c.Text += fmt.Sprintf("; and %d more like it", alike)
	}
	return &c
}
