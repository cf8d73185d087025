package sysfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/sysfs/sysfstest"
)

func TestTask(t *testing.T) {
	tree := fixture(t, "usage")
	k := tree.Task(12)
	for what, c := range map[string]struct {
		got  Int
		want int64
	}{
		"minor faults": {k.MinorFaults, 7}, "major faults": {k.MajorFaults, 9}, "user": {k.UserTicks, 250}, "system": {k.SystemTicks, 750},
		"voluntary": {k.Voluntary, 40}, "involuntary": {k.Involuntary, 50},
		"run": {k.RunNS, 10000000123}, "wait": {k.WaitNS, 20000000456}, "slices": {k.Slices, 90}, "migrations": {k.Migrations, 3},
	} {
		wantInt(t, what, c.got, c.want)
	}
	k = tree.Task(13)
	wantInt(t, "user", k.UserTicks, 2)
	for what, a := range map[string]Int{"run": k.RunNS, "wait": k.WaitNS, "slices": k.Slices, "migrations": k.Migrations} {
		if a.State != Absent {
			t.Errorf("%s of a kernel without accounting: %+v", what, a)
		}
	}
	k = tree.Task(14)
	for what, a := range map[string]Int{"user": k.UserTicks, "voluntary": k.Voluntary, "run": k.RunNS} {
		if a.State != Malformed || a.Err == nil {
			t.Errorf("%s, spoilt: %+v", what, a)
		}
	}
	if k := tree.Task(15); k != (Task{}) {
		t.Errorf("no such thread: %+v", k)
	}
}

func TestCPUTimes(t *testing.T) {
	tree := fixture(t, "usage")
	got, err := tree.CPUTimes()
	if err != nil {
		t.Fatal(err)
	}
	want := []CPUTime{
		{CPU: 0, User: 100, Nice: 10, System: 200, Idle: 1000, IOWait: 20, IRQ: 1, SoftIRQ: 15, Steal: 7},
		{CPU: 3, User: 200, Nice: 20, System: 400, Idle: 3000, IOWait: 30, SoftIRQ: 5, Steal: 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	for _, bad := range []string{"", "cpu 1 2 3 4 5 6 7 8\n", "cpu0 1 2 3\n", "cpu0 1 2 3 4 x 6 7 8\n", "cpufreq 1 2 3 4 5 6 7 8\n"} {
		if c, err := ParseCPUTimes(bad); err == nil {
			t.Errorf("ParseCPUTimes(%q) = %+v", bad, c)
		}
	}
	if c, err := At(t.TempDir()).CPUTimes(); err == nil {
		t.Errorf("of nothing: %+v", c)
	}
}

func TestSoftIRQs(t *testing.T) {
	before, err := fixture(t, "usage").SoftIRQs()
	if err != nil {
		t.Fatal(err)
	}
	after, err := ParseSoftIRQs("   CPU0 CPU1\n HI: 2 1\n BLOCK: 1780750 4\n NEW: 7 7\n")
	if err != nil {
		t.Fatal(err)
	}
	// The counter of CPU 1 wrapped: 2^32 − 6 to 4 is 10.
	if n := after.Since(before, "BLOCK"); n != 11 {
		t.Errorf("BLOCK: %d, want 1 + 10", n)
	}
	if n := after.AllSince(before); n != 13 {
		t.Errorf("all: %d, want 13", n)
	}
	for _, bad := range []string{"", "CPU0\n", "HI: x\n", "HI: 4294967296\n"} {
		if s, err := ParseSoftIRQs(bad); err == nil {
			t.Errorf("ParseSoftIRQs(%q) = %v", bad, s)
		}
	}
}

func TestCPUThrottling(t *testing.T) {
	root := sysfstest.Load(t, "testdata/fixtures/usage.txtar")
	tree := At(root)
	q := tree.CPUThrottling()
	wantInt(t, "times", q.Times, 5+2+100+200)
	wantInt(t, "for", q.NS, 100_000+8009)

	lay := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A group of another namespace: only what is mounted counts.
	lay("proc/self/cgroup", "0::/../user.slice\n3:cpu,cpuacct:/elsewhere\n")
	wantInt(t, "another namespace", tree.CPUThrottling().Times, 100)
	// Some kernels name the controllers in another order than the mount point.
	lay("proc/self/cgroup", "4:cpuacct,cpu:/docker/abc/sub\n")
	wantInt(t, "another order", tree.CPUThrottling().Times, 100+200)
	lay("proc/self/cgroup", "3:cpu,cpuacct:/docker/abcd\n")
	wantInt(t, "a name that begins like the mounted one", tree.CPUThrottling().Times, 100)
	lay("proc/self/cgroup", "0::/../user.slice\n3:cpu,cpuacct:/elsewhere\n")
	lay("sys/fs/cgroup/unified/cpu.stat", "nr_throttled lots\n")
	if q := tree.CPUThrottling(); q.Times.State != Malformed {
		t.Errorf("spoilt: %+v", q)
	}
	lay("proc/self/cgroup", "2:cpuset:/docker/abc\n")
	if q := tree.CPUThrottling(); q.Times.State != Absent || q.NS.State != Absent {
		t.Errorf("no cpu controller: %+v", q)
	}
	if q := At(t.TempDir()).CPUThrottling(); q.Times.State != Absent {
		t.Errorf("of nothing: %+v", q)
	}
}

func TestThermalThrottles(t *testing.T) {
	root := sysfstest.Load(t, "testdata/fixtures/usage.txtar")
	wantInt(t, "events", At(root).ThermalThrottles(), 3+4+5+4)
	if n := fixture(t, "machine").ThermalThrottles(); n.State != Absent {
		t.Errorf("not counted: %+v", n)
	}
	name := filepath.Join(root, "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count")
	if err := os.WriteFile(name, []byte("hot"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := At(root).ThermalThrottles(); n.State != Malformed || !strings.Contains(n.Err.Error(), "cpu1") {
		t.Errorf("spoilt: %+v", n)
	}
}

func TestHypervisor(t *testing.T) {
	tree := fixture(t, "usage")
	if v := tree.Virtual(); !v.OK() || !v.Value {
		t.Errorf("%+v, want a virtual CPU", v)
	}
	wantInt(t, "paranoid", tree.PerfEventParanoid(), 4)
	if v := fixture(t, "machine").Virtual(); v.State != Absent {
		t.Errorf("without flags: %+v", v)
	}
}

func TestRealUsage(t *testing.T) {
	tree := At("")
	k := tree.Task(os.Getpid())
	if !k.UserTicks.OK() || !k.Voluntary.OK() {
		t.Errorf("main thread: %+v", k)
	}
	if c, err := tree.CPUTimes(); err != nil || len(c) == 0 {
		t.Errorf("CPUs: %v, %v", c, err)
	}
	if s, err := tree.SoftIRQs(); err != nil || s["BLOCK"] == nil {
		t.Errorf("softirqs: %v, %v", s, err)
	}
}
