package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/check"
	"ringpeak/go/result"
)

// TestLabStall: a device that hangs for a while. The report shows it: a stall,
// a drift, no steady state.
func TestLabStall(t *testing.T) {
	lab(t)
	doc := filepath.Join(t.TempDir(), "a.json")
	p := start(t, labArgs("-p0 -b512 -d16 -t1 -r2.4 --interval 100ms --steady-round 300ms --json "+doc+" dm")...)
	for range 9 {
		p.waitFor("IOPS=")
	}
	suspend(t, true)
	time.Sleep(1100 * time.Millisecond)
	suspend(t, false)
	o := p.end()
	if o.status != 0 {
		t.Fatalf("status %d: %s", o.status, o.stderr)
	}
	r := readResult(t, doc)
	wantChecks(t, r, outcomes{
		check.CodeStalled: "warn", check.CodeSteady: "warn", check.CodeAccounting: "pass", check.CodeLittle: "pass", check.CodeLatency: "pass",
	})
	s := &r.Summary
	if s.Trend == nil || s.Steady == nil || s.Steady.Attained || s.Steady.RangePercent < 20 || s.IOPSMin != 0 {
		t.Errorf("trend %+v, steady %+v", s.Trend, s.Steady)
	}
	if l := r.Latency; l == nil || l.MaxNS < 1e9 {
		t.Errorf("latency %+v of a device that hung for longer than a second", l)
	}
	for _, want := range []string{"drift=", "nothing completed for 1.", "stalled", "steady"} {
		if !strings.Contains(o.stdout, want) {
			t.Errorf("the report lacks %q:\n%s", want, o.stdout)
		}
	}
}

// TestLabSteady: a device with a time of its own is steady, sooner or later.
func TestLabSteady(t *testing.T) {
	lab(t)
	r := labGood(t, "-p0 -b512 -d1 --until-steady -r6 --interval 50ms --steady-round 200ms null-timer")
	if r.End.Reason == "time" {
		t.Skip("no second of six was steady: the host is too busy for this test")
	}
	wantChecks(t, r, outcomes{check.CodeSteady: "pass", check.CodeStalled: "pass"})
	if s := r.Summary.Steady; s == nil || !s.Attained || r.End.Reason != "steady" {
		t.Errorf("%+v, %+v", s, r.End)
	}
}

// TestLabOneCPU: submitters that have to share a CPU, and one that has not.
func TestLabOneCPU(t *testing.T) {
	lab(t)
	labChecks(t, "-p0 -b512 -n2 --cpus 0 -r0.3 null-irq", outcomes{check.CodeCPUShared: "warn", check.CodePreempted: "warn"})
	if !labAgain(t, func() bool {
		c := checkOf(labGood(t, "-p0 -b512 -d4 -r0.3 null-timer"), check.CodePreempted)
		t.Log(c.Text)
		return c.State == result.CheckPass
	}) {
		t.Error("a submitter alone on its CPU, and always preempted")
	}
}

// TestLabDisturbed: while a run is on, others read the disk, somebody moves
// its pinned submitter to another CPU, and all of it is stopped for a while.
func TestLabDisturbed(t *testing.T) {
	lab(t)
	doc := filepath.Join(t.TempDir(), "a.json")
	p := start(t, labArgs("-p0 -b512 -d1 -r1 --interval 100ms --cpus 0 --json "+doc+" null-timer")...)
	p.waitFor("IOPS=")
	readBeside(t, "/dev/lab/null-timer")
	if n := moveFrom0(t, p.cmd.Process.Pid); n != 1 {
		t.Errorf("%d threads were on CPU 0 alone", n)
	}
	p.signal(unix.SIGSTOP)
	time.Sleep(300 * time.Millisecond)
	p.signal(unix.SIGCONT)
	if o := p.end(); o.status != 0 {
		t.Errorf("status %d: %s", o.status, o.stderr)
	}
	wantChecks(t, readResult(t, doc), outcomes{
		check.CodeOtherIO: "warn", check.CodeMigrated: "warn", check.CodeLate: "warn",
		check.CodeDeviceReads: "pass", check.CodeAccounting: "pass",
	})
}

// readBeside reads 2 MiB of a device.
func readBeside(t *testing.T, device string) {
	t.Helper()
	fd, err := unix.Open(device, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	buf, err := unix.Mmap(-1, 0, 64<<10, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(buf)
	for range 32 {
		if _, err := unix.Pread(fd, buf, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// moveFrom0 moves threads of a process that may run on CPU 0 alone to CPU 1,
// and returns how many there were.
func moveFrom0(t *testing.T, pid int) (moved int) {
	t.Helper()
	statuses, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statuses {
		b, err := os.ReadFile(s)
		if err != nil || !strings.Contains(string(b), "Cpus_allowed_list:\t0\n") {
			continue
		}
		tid, err := strconv.Atoi(filepath.Base(filepath.Dir(s)))
		if err != nil {
			t.Fatal(err)
		}
		var other unix.CPUSet
		other.Set(1)
		if err := unix.SchedSetaffinity(tid, &other); err != nil {
			t.Fatal(err)
		}
		moved++
	}
	return moved
}

// TestLabClocks: a device of which each read takes a millisecond, by either
// clock, with a stamp per round and per I/O. What a clock is worth that the
// kernel does not trust, its check says.
func TestLabClocks(t *testing.T) {
	lab(t)
	const load = " -p0 -b512 -d16 -r0.3 null-timer"
	known := func(r *result.Result, source result.ClockChoice) {
		t.Helper()
		wantChecks(t, r, outcomes{check.CodeLatency: "pass", check.CodeLittle: "pass", check.CodeClock: "pass"})
		l := r.Latency
		if l == nil || r.Clock.Source != source {
			t.Fatalf("latency %+v by %+v", l, r.Clock)
		}
		median := int64(0)
		for _, p := range l.Percentiles {
			if p.Percent == 50 {
				median = p.NS
			}
		}
		t.Logf("%s: min %d µs, median %d µs, mean %.0f µs", source, l.MinNS/1000, median/1000, l.MeanNS/1000)
		if l.MinNS < 990_000 || median < 1_000_000 || median > 50_000_000 {
			t.Errorf("%s: min %d µs, median %d µs of reads that take a millisecond", source, l.MinNS/1000, median/1000)
		}
	}
	known(labGood(t, "--clock monotonic --latency=each"+load), result.ClockMonotonic)
	if !labAgain(t, func() bool {
		o, r := labRun(t, "--clock tsc -t1"+load)
		switch {
		case o.status == result.StatusSetup && strings.Contains(o.stderr, "did not go together"):
			t.Log(o.stderr)
			return false
		case o.status != 0 || r == nil || r.Clock.DeviationPercent == nil:
			t.Fatalf("status %d: %s", o.status, o.stderr)
		case math.Abs(*r.Clock.DeviationPercent) > 0.1:
			wantCheck(t, r, check.CodeClock, result.CheckFail)
			return false
		}
		known(r, result.ClockTSC)
		return true
	}) {
		t.Skip("this host's time-stamp counter and its clock do not go together")
	}
}
