package usage

import (
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Thread is a submitter to be watched.
type Thread struct {
	TID int
	CPU int // -1: not pinned
	// Counters reads its counters; from any thread, until the last End.
	Counters func() result.Counters
}

// Meter takes the readings. Open, Begin, End, Figures in this order; Close at
// any time, and more than once.
type Meter struct {
	tree    sysfs.Tree
	threads []Thread
	cpus    []int
	hw      *hardware

	before, after               []reading
	machineBefore, machineAfter machine
}

// Open makes a meter for threads that exist and are not measured yet. It opens
// the hardware counters, if the machine lets it. cpus are those that the
// threads run on; root is the tree that holds /sys and /proc, "" the system's.
func Open(root string, threads []Thread, cpus []int) *Meter {
	m := &Meter{tree: sysfs.At(root), threads: threads, cpus: cpus}
	tids := make([]int, len(threads))
	for i, t := range threads {
		tids[i] = t.TID
	}
	m.hw = openHardware(unix.PerfEventOpen, hardwareEvents, tids, m.tree)
	return m
}

// Close gives the hardware counters back.
func (m *Meter) Close() {
	if m != nil {
		m.hw.close()
	}
}

// Begin takes the first readings: the machine's, which may take milliseconds,
// then those of the threads.
func (m *Meter) Begin() {
	m.machineBefore = m.readMachine()
	m.hw.enable()
	m.before = m.readThreads()
}

// End takes the second readings of the threads. They must still be at work.
func (m *Meter) End() { m.after = m.readThreads() }

// EndMachine takes the second reading of the machine, after End.
func (m *Meter) EndMachine() { m.machineAfter = m.readMachine() }

// reading is what one thread has used up to a moment.
type reading struct {
	at       time.Duration // CLOCK_MONOTONIC
	counters result.Counters
	clock    sysfs.Int // of the thread's CPU time, in ns: exact at the moment
	task     sysfs.Task
	hw       hwReading
}

func (m *Meter) readThreads() []reading {
	out := make([]reading, len(m.threads))
	for i := range out {
		r, t := &out[i], &m.threads[i]
		began := now()
		r.counters = t.Counters()
		r.clock = threadClock(t.TID)
		r.hw = m.hw.read(i)
		r.at = began + (now()-began)/2
		// The files take longest and are of coarser stuff. Both readings of
		// them are late by the same, so the span is theirs as well.
		r.task = m.tree.Task(t.TID)
	}
	return out
}

func now() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0 // cannot be: every kernel has it
	}
	return time.Duration(ts.Nano())
}

// threadClock reads the CPU-time clock of another thread of this process
// (pthread_getcpuclockid(3)): unlike what /proc tells, it is brought up to date
// when it is read. It is Absent when the thread has ended.
func threadClock(tid int) sysfs.Int {
	const perThread, scheduler = 4, 2 // CPUCLOCK_PERTHREAD_MASK, CPUCLOCK_SCHED of the kernel
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^tid)<<3|perThread|scheduler, &ts); err != nil {
		return sysfs.Int{}
	}
	return sysfs.Have(ts.Nano())
}
