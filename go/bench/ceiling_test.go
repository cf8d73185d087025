package bench

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// newCeilingRig is a rig of a second with a ceiling. Its NOPs take a quarter of
// the time of its reads, and follow nops.
func newCeilingRig(t *testing.T, submitters, files int, nops fake.Script) *rig {
	x := newRig(t, submitters, files)
	x.Spec.Ceiling = true
	x.Spec.RuntimeNS = int64(time.Second)
	reads := fake.Script{Pace: 4 * ms}
	x.eng.Script = func(c engine.Config) fake.Script {
		if c.Spec.Op == result.OpNop {
			return nops
		}
		return reads
	}
	return x
}

// nopsOf are the submitters that did NOPs, and reads the others.
func nopsOf(x *rig) (nops, reads []*fake.Submitter) {
	for _, s := range x.eng.Submitters() {
		if s.Config().Spec.Op == result.OpNop {
			nops = append(nops, s)
		} else {
			reads = append(reads, s)
		}
	}
	return nops, reads
}

func TestCeiling(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newCeilingRig(t, 2, 3, fake.Script{})
		x.Spec.FixedBuffers, x.Spec.FixedFiles, x.Spec.RegisteredRing = true, true, true
		x.Spec.Latency, x.Spec.Restricted, x.Spec.SQPoll, x.Spec.Rounds = true, true, true, 3
		told := 0
		x.interval = func(*result.Result, *result.Interval) error { told++; return nil }
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		c := res.Ceiling
		if c == nil || c.IOPS == nil || c.Fraction == nil || c.Reason != "" || c.NotKept != nil {
			t.Fatalf("ceiling %+v", c)
		}
		// Two submitters, batches of four, one a millisecond.
		if math.Abs(*c.IOPS-2*perSecond) > 0.05*2*perSecond || *c.WindowNS != int64(200*ms) || float64(*c.Completed) != *c.IOPS*0.2 {
			t.Errorf("%v NOPs a second, %d in %d ns", *c.IOPS, *c.Completed, *c.WindowNS)
		}
		if want := res.Summary.IOPSMean / *c.IOPS; *c.Fraction != want || math.Abs(want-0.25) > 0.02 {
			t.Errorf("fraction %v, want %v", *c.Fraction, want)
		}
		if k := checkOf(res, "ceiling"); k.State != result.CheckPass || !strings.HasPrefix(k.Text, fmt.Sprintf("%.3g%% of ", 100**c.Fraction)) {
			t.Errorf("check %+v", k)
		}
		nops, _ := nopsOf(x)
		for i, s := range nops { // recorded as the reads are: the clock is part of the ceiling
			if w := s.Window(); w == nil || w.Length < 195*ms || w.Length > 205*ms {
				t.Errorf("no latencies of submitter %d, or of another time", i)
			}
		}
		sameSettings(t, x)
		closedBefore(t, x)
		// Nothing of it is in the result. A batch may come in the moment in which a window ends.
		if told != 50 || len(res.Intervals) != 50 || math.Abs(float64(res.Latency.Samples)-float64(res.Summary.Total.Completed)) > 16 {
			t.Errorf("%d intervals, %d told, %d latencies of %d", len(res.Intervals), told, res.Latency.Samples, res.Summary.Total.Completed)
		}
		if took := x.took - time.Second; took < 250*ms || took > 300*ms {
			t.Errorf("the ceiling and all else took %v", took)
		}
	})
}

// sameSettings: the NOPs are set up as the reads, and have no target.
func sameSettings(t *testing.T, x *rig) {
	t.Helper()
	nops, reads := nopsOf(x)
	if len(nops) != x.Spec.Threads || len(reads) != x.Spec.Threads {
		t.Fatalf("%d submitters of NOPs, %d of reads", len(nops), len(reads))
	}
	for _, s := range nops {
		n, r := s.Config(), reads[0].Config()
		if len(n.Files) != 0 || n.BufferFD != -1 || len(n.Spec.Targets) != 0 || n.Spec.FixedBuffers || n.Spec.FixedFiles {
			t.Errorf("NOPs with %+v", n)
		}
		if n.Depth != r.Depth || n.SubmitBatch != r.SubmitBatch || n.CompleteBatch != r.CompleteBatch || n.Polled != r.Polled {
			t.Errorf("NOPs with %+v, reads with %+v", n, r)
		}
		a, b := *n.Spec, *r.Spec
		if !a.Latency || !a.Restricted || !a.SQPoll || !a.RegisteredRing || a.Rounds != b.Rounds || a.Pinning != b.Pinning || a.Threads != b.Threads {
			t.Errorf("NOPs with %+v, reads with %+v", a, b)
		}
	}
}

// closedBefore: all rings of NOPs are closed before one is opened for reads.
func closedBefore(t *testing.T, x *rig) {
	t.Helper()
	var kinds []fake.EventKind
	for _, e := range x.eng.Events() {
		if e.What == fake.Open || e.What == fake.Close {
			kinds = append(kinds, e.What)
		}
	}
	n := x.Spec.Threads
	one := append(slices.Repeat([]fake.EventKind{fake.Open}, n), slices.Repeat([]fake.EventKind{fake.Close}, n)...)
	if !slices.Equal(kinds, slices.Concat(one, one)) {
		t.Errorf("events %v", kinds)
	}
}

// The submitters of NOPs are placed as those of the reads.
func TestCeilingPlacement(t *testing.T) {
	x := newCeilingRig(t, 2, 1, fake.Script{})
	x.Spec.RuntimeNS = int64(100 * ms)
	x.Spec.Pinning = result.PinOne
	var mu sync.Mutex
	var at [2][]string // CPUs of NOPs, of reads, as they were when opened
	x.eng.Script = func(c engine.Config) fake.Script {
		i := 1
		if c.Spec.Op == result.OpNop {
			i = 0
		}
		mu.Lock()
		defer mu.Unlock()
		at[i] = append(at[i], affinityOf(t))
		return fake.Script{}
	}
	if _, err := x.run(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(at[0])
	slices.Sort(at[1])
	if len(at[0]) != 2 || !slices.Equal(at[0], at[1]) {
		t.Errorf("NOPs on %v, reads on %v", at[0], at[1])
	}
}

func TestNoCeiling(t *testing.T) {
	for name, change := range map[string]func(s *result.Spec){
		"declined": func(s *result.Spec) { s.Ceiling = false },
		"NOPs":     func(s *result.Spec) { s.Op, s.Targets = result.OpNop, nil },
	} {
		bubble(t, name, func(t *testing.T) {
			x := newCeilingRig(t, 2, 1, fake.Script{})
			change(&x.Spec)
			res, err := x.run()
			if err != nil || res.Ceiling != nil || checkOf(res, "ceiling").Code != "" {
				t.Errorf("%v, %+v, %+v", err, res.Ceiling, checkOf(res, "ceiling"))
			}
			if n := x.eng.Count(fake.Open); n != 2 || len(x.eng.Probes()) != 1 {
				t.Errorf("%d opened, probes %v", n, x.eng.Probes())
			}
		})
	}
	for name, change := range map[string]func(s *result.Spec){
		"aio has no no-op":        func(s *result.Spec) { s.Engine = result.EngineAIO },
		"preadv2 has no no-op":    func(s *result.Spec) { s.Engine = result.EnginePreadv2 },
		"a run of less than 80ms": func(s *result.Spec) { s.RuntimeNS = int64(79 * ms) },
	} {
		bubble(t, name, func(t *testing.T) {
			x := newCeilingRig(t, 1, 1, fake.Script{})
			change(&x.Spec)
			res, err := x.run()
			if err != nil || res.Ceiling == nil || res.Ceiling.IOPS != nil || !strings.Contains(res.Ceiling.Reason, name) {
				t.Errorf("%v, %+v", err, res.Ceiling)
			}
			if n := x.eng.Count(fake.Open); n != 1 {
				t.Errorf("%d opened", n)
			}
			want := result.CheckUnknown
			if x.Spec.Engine != result.EngineURing {
				want = ""
			}
			if k := checkOf(res, "ceiling"); k.State != want {
				t.Errorf("check %+v", k)
			}
		})
	}
}

func TestCeilingTime(t *testing.T) {
	for run, want := range map[time.Duration]time.Duration{
		0: 250 * ms, 10 * ms: 0, 79 * ms: 0, 80 * ms: 20 * ms, 200 * ms: 50 * ms, time.Second: 250 * ms, time.Hour: 250 * ms,
	} {
		if got := ceilingTime(run); got != want {
			t.Errorf("a run of %v: %v, want %v", run, got, want)
		}
	}
}

// A result near the ceiling is one of the machine, not of the target.
func TestNearTheCeiling(t *testing.T) {
	for pace, want := range map[time.Duration]result.CheckState{
		4 * ms: result.CheckPass, 2 * ms: result.CheckPass, 1200 * time.Microsecond: result.CheckWarn, ms: result.CheckWarn,
	} {
		bubble(t, pace.String(), func(t *testing.T) {
			x := newCeilingRig(t, 1, 1, fake.Script{})
			x.eng.Script = func(c engine.Config) fake.Script {
				if c.Spec.Op == result.OpNop {
					return fake.Script{}
				}
				return fake.Script{Pace: pace}
			}
			res, err := x.run()
			if k := checkOf(res, "ceiling"); err != nil || k.State != want {
				t.Errorf("%v, %+v", err, k)
			}
		})
	}
}

// Of a run in which nothing completed it is not known what share it has.
func TestNothingUnderACeiling(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newCeilingRig(t, 1, 1, fake.Script{})
		x.eng.Script = func(c engine.Config) fake.Script {
			if c.Spec.Op == result.OpNop {
				return fake.Script{}
			}
			return fake.Script{Block: fake.BlockKick}
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "nothing was measured")
		if k := checkOf(res, "ceiling"); res.Ceiling.IOPS == nil || res.Ceiling.Fraction != nil || k.State != result.CheckUnknown {
			t.Errorf("%+v, check %+v", res.Ceiling, k)
		}
	})
}

// What goes wrong with the NOPs is no failure of the run.
func TestCeilingFails(t *testing.T) {
	for name, c := range map[string]struct {
		nops fake.Script
		says string
	}{
		"open":            {fake.Script{OpenError: &engine.Error{Step: engine.StepSetup, Errno: syscall.ENOMEM}}, "locked memory"},
		"fatal":           {fake.Script{IO: fake.FatalAt(40, syscall.EINVAL)}, "EINVAL"},
		"submit":          {fake.Script{FailRound: 3, FailErrno: syscall.EBADF}, "EBADF"},
		"errors":          {fake.Script{IO: fake.FailFrom(1, syscall.EINVAL)}, "EINVAL"},
		"slow":            {fake.Script{Pace: time.Second}, "none completed"},
		"stuck":           {fake.Script{Stuck: 1}, "did not come back"},
		"fatal and stuck": {fake.Script{IO: fake.FatalAt(40, syscall.ENODEV), Stuck: 1}, "ENODEV"},
	} {
		bubble(t, name, func(t *testing.T) {
			x := newCeilingRig(t, 2, 1, c.nops)
			res, err := x.run()
			if err != nil || res.Ceiling.IOPS != nil || res.Ceiling.Fraction != nil || !strings.Contains(res.Ceiling.Reason, c.says) {
				t.Errorf("%v, %+v", err, res.Ceiling)
			}
			if k := checkOf(res, "ceiling"); k.State != result.CheckUnknown || !strings.Contains(k.Text, c.says) {
				t.Errorf("check %+v", k)
			}
			if len(res.Errors) > 0 || res.Summary.IOPSMean < perSecond/4 {
				t.Errorf("errors %v, %v IOPS", res.Errors, res.Summary.IOPSMean)
			}
		})
	}
}

// A kernel that refuses a NOP on a polled ring gets another one.
func TestCeilingWithoutPolling(t *testing.T) {
	for _, refuses := range []bool{true, false} {
		bubble(t, "", func(t *testing.T) {
			x := newCeilingRig(t, 2, 1, fake.Script{})
			var mu sync.Mutex
			var polled []bool
			x.eng.Script = func(c engine.Config) fake.Script {
				mu.Lock()
				defer mu.Unlock()
				polled = append(polled, c.Polled)
				if c.Polled && refuses {
					return fake.Script{IO: fake.FatalAt(1, syscall.EINVAL)}
				}
				return fake.Script{}
			}
			r := ceilingRun(t, x)
			r.polled = true
			if err := r.ceiling(); err != nil {
				t.Fatal(err)
			}
			want, kept := []bool{true, true}, []string(nil)
			if refuses {
				want, kept = append(want, false, false), []string{"polling"}
			}
			if c := r.res.Ceiling; c.IOPS == nil || !slices.Equal(c.NotKept, kept) || !slices.Equal(polled, want) {
				t.Errorf("%+v, opened polled %v", c, polled)
			}
		})
	}
	bubble(t, "passthrough", func(t *testing.T) {
		x := newCeilingRig(t, 1, 1, fake.Script{})
		x.Spec.Passthrough = true
		r := ceilingRun(t, x)
		if err := r.ceiling(); err != nil || r.res.Ceiling.IOPS == nil || !slices.Equal(r.res.Ceiling.NotKept, []string{"128-byte SQEs"}) {
			t.Errorf("%v, %+v", err, r.res.Ceiling)
		}
		if nops, _ := nopsOf(x); len(nops) != 1 || nops[0].Config().Spec.Passthrough {
			t.Errorf("%d submitters", len(nops))
		}
	})
}

// ceilingRun is a run that is prepared as far as a ceiling needs it.
func ceilingRun(t *testing.T, x *rig) *run {
	t.Helper()
	r := &run{Options: x.Options, res: &result.Result{}}
	passthrough := r.Spec.Passthrough
	r.Spec.Passthrough = false // its targets are files
	if err := r.prepare(); err != nil {
		t.Fatal(err)
	}
	r.Spec.Passthrough = passthrough
	return r
}

// A signal during the NOPs ends everything, as one before the start does.
func TestSignalInTheCeiling(t *testing.T) {
	for name, after := range map[string]time.Duration{"opening": 0, "warming up": 20 * ms, "counting": 150 * ms} {
		bubble(t, name, func(t *testing.T) {
			x := newCeilingRig(t, 2, 1, fake.Script{OpenTakes: ms})
			x.started = func(*result.Result) error { t.Error("started"); return nil }
			time.AfterFunc(after, func() { x.stop <- "INT" })
			res, err := x.run()
			wantError(t, err, result.StatusIO, "nothing was measured", "before the run had begun")
			if o, c := x.eng.Count(fake.Open), x.eng.Count(fake.Close); res != nil || o != c || o > 2 || x.took > after+50*ms {
				t.Errorf("%v, %d opened, %d closed, took %v", res, o, c, x.took)
			}
		})
	}
}

// Collection, threads, descriptors and the reader's CPUs are as before.
func TestCeilingLeavesNothing(t *testing.T) {
	onThread(func() {
		const before = 77
		defer debug.SetGCPercent(debug.SetGCPercent(before))
		x := newCeilingRig(t, 2, 1, fake.Script{})
		x.Spec.Pinning, x.Spec.RuntimeNS = result.PinOne, int64(100*ms)
		goroutines, files, cpus := runtime.NumGoroutine(), openFiles(t), affinityOf(t)
		x.started = func(*result.Result) error {
			if got := debug.SetGCPercent(before); got != before {
				t.Errorf("collection is at %d after the ceiling, was at %d", got, before)
			}
			if now := affinityOf(t); now != cpus {
				t.Errorf("CPUs %s before the ceiling, %s after", cpus, now)
			}
			return nil
		}
		if _, err := x.run(); err != nil {
			t.Error(err)
		}
		if n := openFiles(t); n != files {
			t.Errorf("%d descriptors are open, %d were before", n, files)
		}
		if now := affinityOf(t); now != cpus {
			t.Errorf("CPUs %s before, %s after", cpus, now)
		}
		eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
	})
}
