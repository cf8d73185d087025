package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ringpeak/go/result"
)

// TestLabPolled: polled means polled, and what is not is said.
func TestLabPolled(t *testing.T) {
	kernel := lab(t)
	run := func(line string) *result.Result { t.Helper(); return labGood(t, line+labShort) }

	r := run("-p1 -b512 nvme-poll")
	wantCheck(t, r, "polled", result.CheckPass)
	if !r.Granted.Polled {
		t.Error("not polled")
	}
	r = run("-b512 nvme-poll") // auto
	wantCheck(t, r, "polled", result.CheckPass)
	r = run("-b512 nvme-irq")
	if r.Granted.Polled {
		t.Error("nvme-irq is polled")
	}
	wantNote(t, r, "not-polled", "nvme-irq", "poll_queues")
	wantNote(t, run("-p0 nvme-poll"), "poll-queues-unused", "nvme-poll", "-p0")
	labRefused(t, result.StatusSetup, "-p1 nvme-irq"+labShort, "nvme-irq", "poll_queues", "-p0")
	labRefused(t, result.StatusSetup, "-p1 null-irq"+labShort, "null-irq", "poll_queues", "-p0")
	wantNote(t, run("-p1 -n3 --pin none nvme-poll"), "few-poll-queues", "2 poll queues", "3 submitters", "-n2")
	wantNote(t, run("-p1 nvme-poll nvme-poll-4k"), "many-files-polled", "2 targets", "-n2")

	if kernel < 601 {
		return
	}
	r = run("-u1 -p1 -b512 nvme-poll-char")
	wantCheck(t, r, "polled", result.CheckPass)
	o, r := labRun(t, "-u1 -p1 -b512 nvme-irq-char"+labShort)
	if o.status != 0 || r == nil {
		t.Fatalf("polled passthrough without poll queues: status %d: %s", o.status, o.stderr)
	}
	wantNote(t, r, "polled-not-effective", "nvme-irq-char", "interrupt")
	wantCheck(t, r, "polled", result.CheckFail)
	labRefused(t, result.StatusSetup, "-u1 -p1 --strict nvme-irq-char"+labShort, "nvme-irq-char", "poll_queues")
}

// TestLabSplit: 64 KiB of a device that takes 16 KiB at a time. Linux 6.1 never
// completes such polled reads, which must be found out before the run hangs.
func TestLabSplit(t *testing.T) {
	kernel := lab(t)
	o, r := labRun(t, "-p1 -b64k -r0.3 nvme-mdts")
	switch {
	case o.status == 0 && r != nil && r.Summary.Total.Completed > 0 && r.End.Drained:
		t.Logf("%.0f IOPS", r.Summary.IOPSMean)
	case kernel < 612 && o.status == result.StatusSetup && o.took < 2*soon:
		oneComplaint(t, o.stderr, "nvme-mdts cannot be polled", "did not complete within", "-b16k", "-p0")
	default:
		t.Errorf("status %d after %v: %s", o.status, o.took, o.stderr)
	}
}

// TestLabHybrid: sleeping before polling exists from 6.13 on.
func TestLabHybrid(t *testing.T) {
	kernel := lab(t)
	if kernel < 613 {
		labRefused(t, result.StatusSetup, "--hybrid-poll nvme-poll"+labShort, "hybrid", "6.13")
		return
	}
	r := labGood(t, "--hybrid-poll nvme-poll"+labShort)
	wantCheck(t, r, "polled", result.CheckPass)
	labGood(t, "-u1 --hybrid-poll nvme-poll-char"+labShort)
}

// labLeave is how often each way out of a polled passthrough run is taken. Up
// to 6.1 a ring that is closed with commands in flight takes the kernel down;
// the lab looks at its log.
const labLeave = 20

func TestLabLeave(t *testing.T) {
	kernel := labFrom(t, 601, "polled passthrough")
	times := labLeave
	if kernel > 601 {
		times = 3
	}
	leave := func(n int, way string, p *process, json string, want int) {
		t.Helper()
		o := p.end()
		if o.status != want && !starved(o.stderr) || o.took > 5*soon {
			t.Errorf("%s, time %d: status %d after %v: %s", way, n, o.status, o.took, o.stderr)
		}
		if r := readResult(t, json); !r.End.Drained {
			t.Errorf("%s, time %d: %+v", way, n, r.End)
		}
	}
	const args = "-u1 -p1 -b4096 --interval 20ms --json "
	a := filepath.Join(t.TempDir(), "a.json")
	for n := range times {
		leave(n, "end", start(t, labArgs(args+a+" -r0.05 nvme-poll-char nvme-poll-4k-char")...), a, 0)
		leave(n, "failing target", start(t, labArgs(args+a+" --max-errors 1 -r20 nvme-poll-char nvme-bad-char")...), a, result.StatusIO)
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			p := start(t, labArgs(args+a+" -n2 nvme-poll-char")...)
			p.waitFor("IOPS=")
			p.signal(s)
			leave(n, s.String(), p, a, 0)
		}
	}
}

// TestLabFlags: what the ring got, and what was dropped for this kernel.
func TestLabFlags(t *testing.T) {
	kernel := lab(t)
	for _, line := range []string{"-N1", "-p0 -b512 null-irq", "-p1 -b512 nvme-poll", "-u1 -p1 -b512 nvme-poll-char"} {
		if kernel < 601 && strings.HasPrefix(line, "-u1") {
			continue
		}
		r := labGood(t, line+labShort)
		granted, dropped := fmt.Sprint(r.Granted.SetupFlags), fmt.Sprint(r.Granted.Dropped)
		for flag, first := range map[string]int{
			"CQSIZE": 505, "SUBMIT_ALL": 518, "COOP_TASKRUN": 519, "SINGLE_ISSUER": 600, "DEFER_TASKRUN": 601, "NO_SQARRAY": 606,
		} {
			in, out := strings.Contains(granted, flag), strings.Contains(dropped, flag)
			if in != (kernel >= first) || out == in {
				t.Errorf("%s: %s is from %d: granted %s, dropped %s", line, flag, first, granted, dropped)
			}
		}
	}
}
