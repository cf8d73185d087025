package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/check"
	"ringpeak/go/result"
)

// group is a control group, version 2.
type group struct {
	t   *testing.T
	dir *os.File
}

// makeGroup makes a group; it goes with the test.
func makeGroup(t *testing.T) *group {
	t.Helper()
	const root = "/sys/fs/cgroup"
	if err := os.WriteFile(root+"/cgroup.subtree_control", []byte("+cpu +io"), 0); err != nil {
		t.Fatal(err)
	}
	path, err := os.MkdirTemp(root, "ringpeak-")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		dir.Close()
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	})
	return &group{t, dir}
}

func (g *group) set(file, value string) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir.Name(), file), []byte(value), 0); err != nil {
		g.t.Fatal(err)
	}
}

// start starts a command line in the group.
func (g *group) start(line string) *process {
	g.t.Helper()
	cmd := command(g.t, "ringpeak", labArgs(line)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(g.dir.Fd())}
	return begin(g.t, cmd)
}

// limitReads lets the group have so many reads a second of a device: "max" is
// as many as it likes.
func (g *group) limitReads(device, perSecond string) {
	g.t.Helper()
	var st unix.Stat_t
	if err := unix.Stat("/dev/lab/"+device, &st); err != nil {
		g.t.Fatal(err)
	}
	g.set("io.max", fmt.Sprintf("%d:%d riops=%s", unix.Major(uint64(st.Rdev)), unix.Minor(uint64(st.Rdev)), perSecond))
}

// TestLabSlowWarmUp: a disk that is slow at first. The warm-up takes that, and
// nothing of it is in the summary.
func TestLabSlowWarmUp(t *testing.T) {
	lab(t)
	const load, slow = "-p0 -b512 -d16 -s4 -c1 -t1 ", 200
	free := labGood(t, load+"-r0.3 null-irq").Summary.IOPSMean
	if free < 20*slow {
		t.Skipf("%.0f IOPS are too few to be slowed down", free)
	}
	g, dir := makeGroup(t), t.TempDir()
	doc, lines := filepath.Join(dir, "a.json"), filepath.Join(dir, "a.jsonl")
	if !labAgain(t, func() bool {
		g.limitReads("null-irq", fmt.Sprint(slow))
		p := g.start(load + "-r0.3 --warmup 1.2s --interval 100ms --json " + doc + " --jsonl " + lines + " null-irq")
		for range 4 {
			p.waitFor("IOPS=")
		}
		g.limitReads("null-irq", "max")
		if o := p.end(); o.status != 0 {
			t.Fatalf("status %d: %s", o.status, o.stderr)
		}
		rates := warmUpRates(t, lines)
		t.Logf("%.0f IOPS without a limit; in the warm-up %.0f", free, rates)
		// The second and third, which the limit was there for from end to end.
		if rates[1] > 4*slow || rates[2] > 4*slow {
			t.Errorf("a limit of %d did not limit", slow)
		}
		return rates[len(rates)-1] > 10*slow
	}) {
		t.Fatal("slow to the end of the warm-up each time")
	}
	r := readResult(t, doc)
	s := r.Summary
	if s.IOPSMean < 10*slow || s.IOPSMean < free/8 || s.IOPSMin < 5*slow || s.WindowNS > 6e8 || s.Intervals > 3 {
		t.Errorf("%.0f IOPS, %.0f at least, in %d ms", s.IOPSMean, s.IOPSMin, s.WindowNS/1e6)
	}
	// 16 at a time at 200 a second are 80 ms.
	if l := r.Latency; l == nil || l.MeanNS > 16e9/slow/4 {
		t.Errorf("latency %+v", l)
	}
	wantChecks(t, r, outcomes{check.CodeLittle: "pass", check.CodeLatency: "pass", check.CodeThrottled: "unknown"})
	// Of heat nobody knows in here.
	if text := checkOf(r, check.CodeThrottled).Text; !strings.Contains(text, "no CPU quota held it back") {
		t.Error(text)
	}
}

// warmUpRates are the IOPS of the intervals before the window, from --jsonl.
func warmUpRates(t *testing.T, file string) (rates []float64) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var o struct {
			Type string
			result.Interval
		}
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if o.Type == "warmup" {
			rates = append(rates, float64(o.Total.Completed)/(float64(o.LengthNS)/1e9))
		}
	}
	if len(rates) < 5 {
		t.Fatalf("%d intervals of warm-up in\n%s", len(rates), b)
	}
	return rates
}

// TestLabRepeats: a disk that is as slow in both of two repeats, and one that
// is slow in the first alone.
func TestLabRepeats(t *testing.T) {
	lab(t)
	g := makeGroup(t)
	g.limitReads("null-irq", "200")
	doc := filepath.Join(t.TempDir(), "a.json")
	run := func(lift bool) result.CheckState {
		p := g.start("-p0 -b512 -d4 -s4 -c1 -r0.4 --interval 100ms --repeat 2 --json " + doc + " null-irq")
		p.waitFor("repeat 1")
		if lift {
			g.limitReads("null-irq", "max")
		}
		if o := p.end(); o.status != 0 {
			t.Errorf("status %d: %s", o.status, o.stderr)
		}
		c := checkOf(readResult(t, doc), check.CodeRepeats)
		t.Log(c.State, c.Text)
		return c.State
	}
	// The limit is kept in slices of 100 ms, one of which may fall to either side of an end.
	if !labAgain(t, func() bool { return run(false) == result.CheckPass }) {
		t.Error("two repeats as slow as each other do not agree")
	}
	if c := run(true); c != result.CheckWarn {
		t.Errorf("a slow repeat and a fast one: %s", c)
	}
}

// TestLabQuota: a control group that may have a fifth of a CPU, for a while.
func TestLabQuota(t *testing.T) {
	lab(t)
	g := makeGroup(t)
	doc := filepath.Join(t.TempDir(), "a.json")
	p := g.start("-p0 -b512 -r0.6 --interval 100ms --json " + doc + " null-irq")
	p.waitFor("IOPS=")
	g.set("cpu.max", "20000 100000")
	time.Sleep(300 * time.Millisecond)
	g.set("cpu.max", "max")
	if o := p.end(); o.status != 0 {
		t.Errorf("status %d: %s", o.status, o.stderr)
	}
	r := readResult(t, doc)
	wantCheck(t, r, check.CodeThrottled, result.CheckWarn)
	if n := r.Usage.Machine.QuotaThrottles; n == nil || *n == 0 {
		t.Error("no throttling was counted")
	}
}
