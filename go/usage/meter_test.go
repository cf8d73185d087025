package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// nobody is no thread of this process: its CPU clock does not exist.
const nobody = 1 << 23

// tree lays files out below a directory, over those that are there.
func tree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// task are the files of one thread.
func task(tid, user, system, run, wait, slices, voluntary, involuntary, migrations, minor, major int) map[string]string {
	dir := fmt.Sprintf("proc/self/task/%d/", tid)
	return map[string]string{
		dir + "stat":      fmt.Sprintf("%d (x) R 1 1 1 0 -1 0 %d 0 %d 0 %d %d 0 0", tid, minor, major, user, system),
		dir + "schedstat": fmt.Sprintf("%d %d %d", run, wait, slices),
		dir + "status":    fmt.Sprintf("voluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t%d\n", voluntary, involuntary),
		dir + "sched":     fmt.Sprintf("se.nr_migrations : %d\n", migrations),
	}
}

func want(t *testing.T, what string, got result.OptInt, want int64) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s is %v, want %d", what, show(got), want)
	}
}

func wantFloat(t *testing.T, what string, got result.OptFloat, want float64) {
	t.Helper()
	if got == nil || *got < want-1e-9 || *got > want+1e-9 {
		t.Errorf("%s is %v, want %v", what, show(got), want)
	}
}

func show[T any](p *T) string {
	if p == nil {
		return "nil"
	}
	return fmt.Sprint(*p)
}

func reasons(u *result.Usage) map[string]string {
	m := map[string]string{}
	for _, x := range u.Unknown {
		m[x.What] = x.Why
	}
	return m
}

// Two threads, all of whose files are there.
func TestFigures(t *testing.T) {
	root := t.TempDir()
	tree(t, root, task(nobody, 100, 100, 2e9, 1e6, 10, 5, 6, 0, 1, 1))
	tree(t, root, task(nobody+1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0))
	counters := [2]result.Counters{}
	threads := []Thread{
		{TID: nobody, CPU: 3, Counters: func() result.Counters { return counters[0] }},
		{TID: nobody + 1, CPU: -1, Counters: func() result.Counters { return counters[1] }},
	}
	m := Open(root, threads, []int{3})
	defer m.Close()
	m.Begin()
	tree(t, root, task(nobody, 110, 130, 2.8e9, 3e6, 110, 55, 56, 2, 4, 6))
	tree(t, root, task(nobody+1, 30, 10, 4e8, 1001, 20, 10, 10, 1, 7, 0))
	counters = [2]result.Counters{{Completed: 4000, Calls: 100}, {Completed: 1000, Calls: 50}}
	m.End()
	m.EndMachine()
	u := m.Figures()
	s := &u.Submitters[0].ThreadUsage
	want(t, "run", s.RunNS, 8e8)
	want(t, "user", s.UserNS, 2e8) // 10 of 40 ticks
	want(t, "system", s.SystemNS, 6e8)
	want(t, "wait", s.WaitNS, 2e6)
	want(t, "slices", s.Slices, 100)
	want(t, "voluntary", s.VoluntarySwitches, 50)
	want(t, "involuntary", s.InvoluntarySwitches, 50)
	want(t, "migrations", s.Migrations, 2)
	want(t, "minor", s.MinorFaults, 3)
	want(t, "major", s.MajorFaults, 5)
	wantFloat(t, "ns per I/O", s.NSPerIO, 2e5)
	wantFloat(t, "switches per 1000 I/Os", s.SwitchesPerThousand, 25)
	wantFloat(t, "share", s.CPUShare, 8e8/float64(s.SpanNS))
	if s.Completed != 4000 || s.Calls != 100 || s.SpanNS <= 0 || u.Submitters[0].CPU != 3 || u.Submitters[1].CPU != -1 || u.Submitters[1].TID != nobody+1 {
		t.Errorf("%+v", u.Submitters)
	}
	want(t, "run of both", u.Total.RunNS, 12e8)
	want(t, "user of both", u.Total.UserNS, 5e8)
	want(t, "wait of both", u.Total.WaitNS, 2e6+1000)
	want(t, "migrations of both", u.Total.Migrations, 3)
	wantFloat(t, "ns per I/O of both", u.Total.NSPerIO, 24e4)
	wantFloat(t, "share of both", u.Total.CPUShare, 12e8/float64(u.Submitters[0].SpanNS+u.Submitters[1].SpanNS))
	if u.Total.Completed != 5000 || u.Total.Calls != 150 || *u.Submitters[1].RunNS != 4e8 {
		t.Errorf("total %+v", u.Total)
	}
	if s.Cycles != nil || u.Total.Cycles != nil || u.Counted != "" || reasons(u)["cycles, instructions"] == "" {
		t.Errorf("hardware counters of a thread that is none: %+v", u)
	}
}

// What is missing is nil, in the total as well, and has a reason.
func TestFiguresMissing(t *testing.T) {
	root := t.TempDir()
	tree(t, root, task(nobody, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
	none := func() result.Counters { return result.Counters{} }
	m := Open(root, []Thread{{nobody, 0, none}, {nobody + 1, 1, none}}, []int{0, 1})
	defer m.Close()
	if m.Figures() != nil {
		t.Error("figures without readings")
	}
	m.Begin()
	m.End()
	m.EndMachine()
	u := m.Figures()
	for i, dst := range optional(&u.Total) {
		if *dst != nil {
			t.Errorf("field %d of the total is %d", i, **dst)
		}
	}
	if s := &u.Submitters[0]; s.UserNS != nil || s.RunNS == nil || s.NSPerIO != nil || s.SwitchesPerThousand != nil {
		t.Errorf("a thread that did nothing: %+v", s)
	}
	r := reasons(u)
	for _, key := range []string{
		"run_ns, user_ns, system_ns, cpu_share", "user_ns, system_ns", "wait_ns, slices", "voluntary_switches", "involuntary_switches", "migrations",
		"minor_faults, major_faults", "cycles, instructions", "softirqs, block_softirqs", "cpus, steal_ns, interrupt_cpu",
		"quota_throttles", "quota_throttled_ns", "thermal_throttles",
	} {
		if r[key] == "" {
			t.Errorf("no reason for %s: %v", key, r)
		}
	}
	m.Close()
	m.Close()
	(*Meter)(nil).Close()
}

func TestMachine(t *testing.T) {
	root := t.TempDir()
	before := map[string]string{
		"proc/stat":            "cpu0 0 0 0 0 0 0 0 5\ncpu1 100 0 0 500 50 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n",
		"proc/softirqs":        " HI: 1 1\n BLOCK: 10 20\n",
		"proc/cpuinfo":         "flags : fpu\n",
		"proc/self/cgroup":     "0::/\n",
		"proc/self/mountinfo":  "30 24 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
		"cg/cpu.stat":          "nr_throttled 1\nthrottled_usec 10\n",
		"sys/devices/system/x": "",
		"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "7",
	}
	after := map[string]string{
		// CPU 0: 40 user, 10 system, 30 idle, 10 iowait, 4 irq, 2 softirq, 4 steal of 100. CPU 1 runs backwards in idle.
		"proc/stat":     "cpu0 30 10 10 30 10 4 2 9\ncpu1 120 0 0 499 50 0 80 0\ncpu2 0 0 0 0 0 0 0 0\ncpu9 1 1 1 1 1 1 1 1\n",
		"proc/softirqs": " HI: 2 1\n BLOCK: 12 23\n",
		"cg/cpu.stat":   "nr_throttled 4\nthrottled_usec 25\n",
		"sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "9",
	}
	tree(t, root, before)
	m := Open(root, nil, []int{0, 2})
	defer m.Close()
	m.Begin()
	tree(t, root, after)
	m.End()
	m.EndMachine()
	u := m.Figures()
	got := &u.Machine
	wantCPUs := []result.CPUUsage{{CPU: 0, BusyShare: 0.56, IdleShare: 0.40, IOWaitShare: 0.10, InterruptShare: 0.06, StealShare: 0.04}}
	if d := cmp.Diff(wantCPUs, got.CPUs); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	want(t, "steal", got.StealNS, 4*sysfs.TickNS)
	want(t, "busiest with interrupts", got.InterruptCPU, 1)
	wantFloat(t, "its share", got.InterruptCPUShare, 0.8)
	want(t, "softirqs", got.SoftIRQs, 6)
	want(t, "BLOCK", got.BlockSoftIRQs, 5)
	want(t, "throttled", got.QuotaThrottles, 3)
	want(t, "throttled for", got.QuotaThrottledNS, 15000)
	want(t, "thermal", got.ThermalThrottles, 2)
	if got.SpanNS <= 0 {
		t.Errorf("span %d", got.SpanNS)
	}
}

// A virtual machine that never saw steal may have a hypervisor that does not tell.
func TestStealThatIsNeverTold(t *testing.T) {
	for cpuinfo, told := range map[string]bool{"flags : fpu\n": true, "flags : hypervisor\n": false, "": false} {
		root := t.TempDir()
		tree(t, root, map[string]string{"proc/cpuinfo": cpuinfo, "proc/stat": "cpu0 0 0 0 0 0 0 0 0\n"})
		m := Open(root, nil, []int{0})
		m.Begin()
		tree(t, root, map[string]string{"proc/stat": "cpu0 5 0 0 0 0 0 0 0\n"})
		m.End()
		m.EndMachine()
		u := m.Figures()
		if (u.Machine.StealNS != nil) != told || (reasons(u)["steal_ns"] == "") != told {
			t.Errorf("%q: steal %v, %v", cpuinfo, show(u.Machine.StealNS), u.Unknown)
		}
	}
}

// spinner keeps a thread of its own busy on one CPU until it is stopped.
type spinner struct {
	tid  int
	stop atomic.Bool
	done chan struct{}
}

func spin(t *testing.T, cpu int) *spinner {
	t.Helper()
	s := &spinner{done: make(chan struct{})}
	tid := make(chan int)
	go func() {
		defer close(s.done)
		runtime.LockOSThread() // never unlocked: the thread ends here
		set := unix.NewCPUSet(1024)
		set.Set(cpu)
		if err := unix.SchedSetaffinityDynamic(0, set); err != nil {
			t.Error(err)
		}
		tid <- unix.Gettid()
		for deadline := time.Now().Add(5 * time.Second); !s.stop.Load() && time.Now().Before(deadline); {
		}
	}()
	s.tid = <-tid
	t.Cleanup(func() {
		s.stop.Store(true)
		<-s.done
	})
	return s
}

// allowed is a CPU that this process may use.
func allowed(t *testing.T) int {
	t.Helper()
	cpus := sysfs.At("").AllowedCPUs()
	if !cpus.OK() || len(cpus.Value) == 0 {
		t.Skip("no list of allowed CPUs")
	}
	return cpus.Value[len(cpus.Value)-1]
}

// Real threads: a busy one runs, one that sleeps does not, and two that are
// busy on one CPU take it from each other, which a check says.
func TestRealThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 4))
	cpu := allowed(t)
	a, b := spin(t, cpu), spin(t, cpu)
	sleeper := make(chan int)
	leave := make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends here
		sleeper <- unix.Gettid()
		<-leave
	}()
	defer close(leave)
	none := func() result.Counters { return result.Counters{} }
	m := Open("", []Thread{{a.tid, cpu, none}, {b.tid, cpu, none}, {<-sleeper, -1, none}}, []int{cpu})
	defer m.Close()
	m.Begin()
	time.Sleep(300 * time.Millisecond)
	m.End()
	m.EndMachine()
	u := m.Figures()
	for i := range 2 {
		s := &u.Submitters[i]
		if s.CPUShare == nil || *s.CPUShare < 0.02 || *s.CPUShare > 0.9 {
			t.Errorf("busy thread %d of two on a CPU ran for %v of the time", i, show(s.CPUShare))
		}
	}
	if s := &u.Submitters[2]; s.CPUShare == nil || *s.CPUShare > 0.1 {
		t.Errorf("the sleeping thread ran for %v of the time", show(s.CPUShare))
	}
	if u.Submitters[0].WaitNS == nil {
		t.Skip("this kernel does not account for the run queue")
	}
	u.Submitters = u.Submitters[:2]
	if c := checkPreempted(u); c.State != result.CheckWarn {
		t.Errorf("two busy threads on one CPU: %+v", c)
	}
	if w := *u.Submitters[0].WaitNS + *u.Submitters[0].RunNS; w > u.Submitters[0].SpanNS*11/10 {
		t.Errorf("ran and waited for %d of %d ns", w, u.Submitters[0].SpanNS)
	}
}
