package main

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ringpeak/go/affinity"
	"ringpeak/go/result"
)

// TestLabShared: two polled submitters, one of them short of tags, on a CPU
// that a third thread never leaves. Whoever polls must let the others on; a
// kernel that does not says so after 3 s here, and the lab reads its log.
func TestLabShared(t *testing.T) {
	targets := "null-poll null-tags"
	if kernel := lab(t); kernel < 601 {
		targets = "nvme-poll nvme-poll-4k" // its null_blk has no poll queues
	}
	labSet(t, "/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout", "3")
	if exists("/proc/sys/kernel/watchdog_thresh") {
		labSet(t, "/proc/sys/kernel/watchdog_thresh", "2") // a soft lockup after twice as long
	}
	var stop atomic.Bool
	busy := make(chan error)
	go func() {
		runtime.LockOSThread()
		busy <- affinity.PinTo([]int{1})
		for !stop.Load() {
		}
		close(busy)
	}()
	defer func() { stop.Store(true); <-busy }()
	if err := <-busy; err != nil {
		t.Fatal(err)
	}
	const length = 4500 * time.Millisecond
	from := time.Now()
	_, r := labWatched(t, "-p1 -b4096 -d64 -n2 --cpus 1 -r4.5 "+targets, func(*process) {})
	took := time.Since(from)
	if took > length+2*soon || !r.Granted.Polled || !r.End.Drained || len(r.PerSubmitter) != 2 {
		t.Fatalf("after %v: %+v, %+v", took, r.End, r.PerSubmitter)
	}
	for i, c := range r.PerSubmitter {
		if c.Completed < 100 || r.Placements[i].CPU != 1 || !r.Placements[i].Shared {
			t.Errorf("submitter %d: %+v at %+v", i, c, r.Placements[i])
		}
	}
	wantNote(t, r, "cpus-shared", "2 submitters share 1 CPU")
	wantCheck(t, r, "accounting", result.CheckPass)
	t.Logf("%d and %d reads in %v", r.PerSubmitter[0].Completed, r.PerSubmitter[1].Completed, took)
}

// TestLabTags: polled reads beyond the tags are run by kernel workers. They
// are counted, the run ends in time and balances, and as deep as is advised
// there are none.
func TestLabTags(t *testing.T) {
	labFrom(t, 601, "null_blk with poll queues")
	seen := 0
	o, r := labWatched(t, "-p1 -b512 -d64 -r1 null-tags", func(p *process) {
		time.Sleep(300 * time.Millisecond)
		seen = len(threads(p, "iou-wrk-"))
	})
	wantNote(t, r, "depth-above-tags", "depth 64", "8 requests", "-d8")
	want := result.CheckPass
	if seen > 0 {
		want = result.CheckWarn // they stay for seconds: whoever was there still is
	}
	wantCheck(t, r, "io-wq", want)
	if s := r.Summary; o.took > 2*soon || !r.End.Drained || s.Total.Completed == 0 ||
		s.InFlightBefore+s.Total.Submitted != s.Total.Completed+s.InFlightAfter || s.InFlightAfter > 64 {
		t.Errorf("after %v: %+v, %+v", o.took, s, r.End)
	}
	wantCheck(t, r, "accounting", result.CheckPass)
	if seen > 0 && !strings.Contains(o.stdout, "io-wq") {
		t.Errorf("not said:\n%s", o.stdout)
	}
	t.Logf("%d workers, %.0f IOPS", seen, r.Summary.IOPSMean)

	o, r = labWatched(t, "-p1 -b512 -d8 -r0.4 null-tags", func(p *process) { seen = len(threads(p, "iou-wrk-")) })
	if noteOf(r, "depth-above-tags") != "" || seen > 0 {
		t.Errorf("depth 8 of 8 tags: %d workers, %s", seen, o.stderr)
	}
	wantCheck(t, r, "io-wq", result.CheckPass)
	t.Logf("as deep as there are tags: %.0f IOPS", r.Summary.IOPSMean)
}
