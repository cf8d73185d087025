package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ringpeak/go/result"
)

// samplesFrom counts the samples of ns and more: the buckets of HdrHistogram,
// of 2 digits, from the one that holds ns on.
func samplesFrom(h *result.Histogram, ns int64) (n int64) {
	shift := 0
	for ns>>shift >= 256 {
		shift++
	}
	for _, c := range h.Counts[shift*128+int(ns>>shift):] {
		n += c
	}
	return n
}

// TestLabLong: reads that take 20 s are recorded as what they are, neither
// wrapped nor cut. They are held up by a suspended device, since a null_blk of
// that completion time would look for partitions for a minute before it can be
// opened, and could not be drained in 5 s. The ceiling itself, 68.7 s, is for
// csrc/test/test_hist.c.
func TestLabLong(t *testing.T) {
	if kernel := lab(t); kernel != 612 {
		t.Skip("half a minute, and nothing of it is the kernel's: on 6.12 only")
	}
	const depth = 4
	var held time.Duration
	defer suspend(t, false)
	o, r := labWatched(t, fmt.Sprintf("-p0 -d%d -b512 -t1 -r23.4 dm", depth), func(*process) {
		suspend(t, true)
		from := time.Now()
		time.Sleep(20 * time.Second)
		held = time.Since(from)
		suspend(t, false)
	})
	l := r.Latency
	if l == nil || r.Histogram == nil {
		t.Fatalf("no latency: %s%s", o.stdout, o.stderr)
	}
	if least, most := int64(held)*98/100, int64(held+2*time.Second); l.MaxNS < least || l.MaxNS > most || l.OverRange != 0 {
		t.Errorf("reads held up for %v: %+v", held, l)
	}
	if n := samplesFrom(r.Histogram, int64(10*time.Second)); n != depth {
		t.Errorf("%d reads of 10 s and more, not %d", n, depth)
	}
	if sum := l.MeanNS * float64(l.Samples); sum < depth*0.98*float64(held) {
		t.Errorf("latencies add up to %g s", sum/1e9)
	}
	wantCheck(t, r, "latency-complete", result.CheckPass)
	wantCheck(t, r, "littles-law", result.CheckPass)
	wantCheck(t, r, "stalled", result.CheckWarn)
	for line := range strings.Lines(o.stdout) {
		if strings.Contains(line, "unit=") {
			t.Log(line)
		}
	}
}

// TestLabSQPollLatency: with an SQ thread a read's time begins when it is
// queued. It is neither less than the device takes nor, when the thread sleeps
// between reads or does not, a period of idling more.
func TestLabSQPollLatency(t *testing.T) {
	kernel := lab(t)
	const takes = 20 * time.Millisecond
	slow := labNull(t, "slow", "irqmode=2", fmt.Sprintf("completion_nsec=%d", takes), "hw_queue_depth=64")
	for _, c := range []struct {
		line   string
		depth  float64
		takes  time.Duration
		sleeps bool
	}{
		{"-d1 -r1 --sqpoll-idle 1 " + slow, 1, takes, true},
		{"-d1 -r1 --sqpoll-idle 1000 " + slow, 1, takes, false},
		{"-d32 -r1 --sqpoll-idle 1 " + slow, 32, takes, true},
		{"-d32 -s1 -c1 -r0.4 --sqpoll-idle 1 null-timer", 32, time.Millisecond, false},
	} {
		const look = 20 // reads, one after the other
		var from, to int
		_, r := labWatched(t, "-p0 -b512 -t1 --sqpoll "+c.line, func(p *process) {
			if kernel < 512 || c.takes != takes {
				return // a thread of the kernel's own before 5.12
			}
			from = switches(t, p)
			time.Sleep(look * takes)
			to = switches(t, p)
		})
		l := r.Latency
		if l == nil || l.MinNS < int64(c.takes)*99/100 || l.MeanNS > float64(10*takes) {
			t.Errorf("%s: latency %+v", c.line, l)
			continue
		}
		// In flight for all of the time, and no read is in two places.
		if n := r.Summary.IOPSMean * l.MeanNS / 1e9; n > c.depth*1.1 || c.takes == takes && n < c.depth*0.7 {
			t.Errorf("%s: %g in flight by IOPS and latency", c.line, n)
		}
		wantCheck(t, r, "littles-law", result.CheckPass)
		wantCheck(t, r, "latency-complete", result.CheckPass)
		if slept := to-from > look/4; to > 0 && slept != c.sleeps {
			t.Errorf("%s: the SQ thread slept %d times in %v", c.line, to-from, look*takes)
		}
		t.Logf("%s: %.0f IOPS, latency %v to %v, mean %v; the SQ thread slept %d times", c.line, r.Summary.IOPSMean,
			time.Duration(l.MinNS), time.Duration(l.MaxNS), time.Duration(l.MeanNS), to-from)
	}
}

// switches is how often the SQ thread of a process went to sleep.
func switches(t *testing.T, p *process) (n int) {
	t.Helper()
	dirs := threads(p, "iou-sqp-")
	if len(dirs) != 1 {
		t.Fatalf("%d SQ threads", len(dirs))
	}
	b, err := os.ReadFile(dirs[0] + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if s, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
			if _, err := fmt.Sscan(s, &n); err == nil {
				return n
			}
		}
	}
	t.Fatalf("%s", b)
	return 0
}
