package main

import (
	"testing"

	"ringpeak/go/result"
)

// TestLabTimer: a device of which each read takes a millisecond. Little's law
// says what must come out, and that is an upper limit on any machine.
func TestLabTimer(t *testing.T) {
	lab(t)
	r := labGood(t, "-p0 -b512 -d16 -t1 -r1 null-timer")
	s := r.Summary
	if s.IOPSMean > 16*1000*1.02 || s.Total.Completed == 0 {
		t.Errorf("%g IOPS of reads that take a millisecond, 16 at a time", s.IOPSMean)
	}
	if l := r.Latency; l == nil || l.MinNS < 990_000 {
		t.Errorf("latency %+v of reads that take a millisecond", l)
	}
	wantCheck(t, r, "littles-law", result.CheckPass)

	// Two that differ a lot: what each submitter did adds up, and the slow one did less.
	r = labGood(t, "-p0 -b512 -d4 -s4 -c1 -n2 -r1 null-timer null-irq")
	if len(r.PerSubmitter) != 2 {
		t.Fatalf("%d submitters", len(r.PerSubmitter))
	}
	slow, fast := r.PerSubmitter[0].Completed, r.PerSubmitter[1].Completed
	if slow == 0 || slow > 4100 || fast < 2*slow || slow+fast != r.Summary.Total.Completed {
		t.Errorf("%d and %d, together %d", slow, fast, r.Summary.Total.Completed)
	}
}

// TestLabBad: an eighth of the disk is bad. Errors are counted apart.
func TestLabBad(t *testing.T) {
	kernel := lab(t)
	for _, p := range []string{"-p0 ", "-p1 "} {
		if p == "-p1 " && kernel < 601 {
			continue // its null_blk has no poll queues
		}
		o, r := labRun(t, p+"-b4096"+labShort+"null-bad")
		if r == nil || o.status != result.StatusIO || len(r.Errors) != 1 || r.Errors[0].Name != "EIO" {
			t.Errorf("%s: status %d: %s", p, o.status, o.stderr)
			continue
		}
		total := r.Summary.Total
		share := float64(total.Failed) / float64(total.Completed+total.Failed)
		if share < 0.06 || share > 0.2 {
			t.Errorf("%s: %d of %d failed, and an eighth is bad", p, total.Failed, total.Completed+total.Failed)
		}
		if want := float64(total.Completed) / (float64(r.Summary.WindowNS) / 1e9); r.Summary.IOPSMean > want*1.000001 {
			t.Errorf("%s: %g IOPS, %g completed a second", p, r.Summary.IOPSMean, want)
		}
	}
}

// TestLabOld: 5.10 has no passthrough; all else works, and what does not is
// refused by its first kernel.
func TestLabOld(t *testing.T) {
	if kernel := lab(t); kernel >= 513 {
		t.Skip("this kernel has /dev/ngXnY")
	}
	dir := t.TempDir()
	file := testFile(t, dir, "f", 4<<20)
	for _, line := range []string{
		"-N1", "-N1 -n2", "-p0 " + file, "-O0 -p0 " + file, "-p0 nvme-irq", "-p1 nvme-poll", "-p1 -n2 nvme-poll", "-p0 -B0 -V1 virtio",
		"-a1 nvme-poll", "-S1 nvme-poll", "-p0 -t1 null-irq", "-p0 --sqpoll --sqpoll-idle 10 null-irq", "-p0 -e1 nvme-irq", "-p0 dm loop zram",
	} {
		labGood(t, line+labShort)
	}
	labRefused(t, result.StatusSetup, "-u1 nvme-poll"+labShort, "5.13", "5.19")
	labRefused(t, result.StatusSetup, "--hybrid-poll nvme-poll"+labShort, "6.13")
}
