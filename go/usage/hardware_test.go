package usage

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// scripted opens real descriptors until the n-th call, which fails; so do all
// calls that want to count in the kernel, if that is forbidden.
func scripted(failAt int, err error, forbidden bool) opener {
	calls := 0
	return func(attr *unix.PerfEventAttr, _, cpu, group, flags int) (int, error) {
		calls++
		switch {
		case cpu != -1 || flags != unix.PERF_FLAG_FD_CLOEXEC || attr.Size == 0 || attr.Read_format == 0:
			return -1, fmt.Errorf("called with %+v, cpu %d, flags %x", attr, cpu, flags)
		case (group == -1) != (attr.Bits&unix.PerfBitDisabled != 0):
			return -1, fmt.Errorf("a leader begins disabled, and nobody else: %+v", attr)
		case forbidden && attr.Bits&unix.PerfBitExcludeKernel == 0:
			return -1, unix.EACCES
		case calls == failAt:
			return -1, err
		}
		return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	}
}

func TestHardwareRefused(t *testing.T) {
	policy := func(seccomp, paranoid int) sysfs.Tree {
		root := t.TempDir()
		tree(t, root, map[string]string{
			"proc/self/status":                    fmt.Sprintf("Seccomp:\t%d\n", seccomp),
			"proc/sys/kernel/perf_event_paranoid": fmt.Sprint(paranoid),
		})
		return sysfs.At(root)
	}
	for _, c := range []struct {
		err     error
		seccomp int
		word    string
	}{
		{unix.ENOENT, 0, "no hardware counters"},
		{unix.ENOENT, 2, "no hardware counters"},
		{unix.EACCES, 0, "paranoid at 2 or less; it is 4"},
		{unix.EPERM, 0, "CAP_PERFMON"},
		{unix.EPERM, 2, "seccomp"},
		{unix.ENOSYS, 2, "seccomp"},
		{unix.ENOSYS, 0, "without perf events"},
		{unix.EMFILE, 0, "ulimit -n"},
		{unix.EBUSY, 0, "somebody else"},
		{unix.ESRCH, 0, "thread has ended"},
		{unix.EINVAL, 0, "invalid argument"},
	} {
		for _, at := range []int{1, 2, 3, 6} {
			files := descriptors(t)
			open := scripted(at, c.err, false)
			if c.err == unix.EACCES || c.err == unix.EPERM {
				open = func(*unix.PerfEventAttr, int, int, int, int) (int, error) { return -1, c.err }
			}
			h := openHardware(open, hardwareEvents, []int{1, 2, 3}, policy(c.seccomp, 4))
			if !strings.Contains(h.why, c.word) || h.mode() != "" {
				t.Errorf("%v, seccomp %d: %q, mode %q", c.err, c.seccomp, h.why, h.mode())
			}
			if n := descriptors(t); n != files {
				t.Errorf("%v at call %d: %d descriptors are left", c.err, at, n-files)
			}
			h.enable()
			if h.read(0).ok {
				t.Error("something was read")
			}
		}
	}
}

// Who may not count in the kernel counts in user space, and it is said.
func TestHardwareUserOnly(t *testing.T) {
	files := descriptors(t)
	h := openHardware(scripted(0, nil, true), hardwareEvents, []int{1, 2}, sysfs.At(""))
	if h.why != "" || h.mode() != "user" || len(h.fds) != 2 {
		t.Errorf("%+v", h)
	}
	h.close()
	h.close()
	if n := descriptors(t); n != files {
		t.Errorf("%d descriptors are left", n-files)
	}
	// Allowed after all, but there is nothing to count with.
	h = openHardware(scripted(2, unix.ENOENT, true), hardwareEvents, []int{1}, sysfs.At(""))
	if !strings.Contains(h.why, "no hardware counters") || h.mode() != "" {
		t.Errorf("%+v", h)
	}
}

// Software events go the same way as those of the hardware, and every machine
// has them.
func TestHardwareReads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 2))
	s := spin(t, allowed(t))
	files := descriptors(t)
	events := [2]event{{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK}, {unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK}}
	h := openHardware(unix.PerfEventOpen, events, []int{s.tid}, sysfs.At(""))
	if h.why != "" {
		t.Skipf("no perf events here: %s", h.why)
	}
	if r := h.read(0); !r.ok || r.values[0] != 0 {
		t.Errorf("counts before it is enabled: %+v", r)
	}
	h.enable()
	before, clock := h.read(0), threadClock(s.tid)
	time.Sleep(100 * time.Millisecond)
	after, later := h.read(0), threadClock(s.tid)
	v, share, ok := after.since(before)
	ran := float64(later.Value - clock.Value)
	if !ok || share != 1 || v[0] < ran*0.8 || v[0] > ran*1.2 {
		t.Errorf("task clock %v, share %v, ok %v; the thread ran for %v", v, share, ok, ran)
	}
	h.close()
	if n := descriptors(t); n != files {
		t.Errorf("%d descriptors are left", n-files)
	}
	if h.read(0).ok {
		t.Error("read after close")
	}
}

func TestHardwareScales(t *testing.T) {
	before := hwReading{ok: true, enabled: 100, running: 100, values: [2]uint64{10, 20}}
	after := hwReading{ok: true, enabled: 1100, running: 350, values: [2]uint64{110, 220}}
	v, share, ok := after.since(before)
	if !ok || share != 0.25 || v != [2]float64{400, 800} {
		t.Errorf("%v, %v, %v; want four times what was counted in a quarter of the time", v, share, ok)
	}
	if _, _, ok := before.since(before); ok {
		t.Error("nothing passed, and it is ok")
	}
	if _, _, ok := (hwReading{ok: true, enabled: 500, running: 100}).since(before); ok {
		t.Error("never counted, and it is ok")
	}
	if _, _, ok := after.since(hwReading{}); ok {
		t.Error("no first reading, and it is ok")
	}
}

// Counters that were there for all threads are in the figures, with what
// follows from them.
func TestHardwareFigures(t *testing.T) {
	f := &figures{}
	at := func(enabled, running, cycles, instructions uint64) *reading {
		return &reading{counters: result.Counters{Completed: cycles / 100}, hw: hwReading{true, enabled, running, [2]uint64{cycles, instructions}}}
	}
	a := f.thread(at(0, 0, 0, 0), at(10, 10, 1000, 3000), "")
	b := f.thread(at(0, 0, 0, 0), at(10, 5, 1000, 1000), "")
	sum := total([]result.SubmitterUsage{{ThreadUsage: a}, {ThreadUsage: b}})
	want(t, "cycles", sum.Cycles, 1000+2000)
	want(t, "instructions", sum.Instructions, 3000+2000)
	wantFloat(t, "counted", sum.PMUShare, 0.5)
	wantFloat(t, "IPC", a.IPC, 3)
	wantFloat(t, "cycles per I/O", a.CyclesPerIO, 100)
	wantFloat(t, "instructions per I/O", sum.InstructionsPerIO, 250)
	c := f.thread(at(0, 0, 0, 0), at(10, 0, 0, 0), "")
	if c.Cycles != nil || total([]result.SubmitterUsage{{ThreadUsage: a}, {ThreadUsage: c}}).Cycles != nil {
		t.Error("cycles of a thread that was never counted")
	}
}
