package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/affinity"
	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// These tests run in real time: they are about the runtime and the kernel.

// Nothing in Go allocates while measuring, so that nothing will ever have to
// be collected. What may remain is the runtime's own, once per thread or
// processor that it puts to use (7 objects each; timer heaps); whatever comes
// with an interval would count 400 times.
func TestNoAllocationInTheWindow(t *testing.T) {
	const intervals, allowed = 400, 100
	for _, pin := range []result.Pinning{result.PinNone, result.PinOne} {
		for _, files := range []int{0, 3} {
			t.Run(fmt.Sprintf("pin %s, %d files", pin, files), func(t *testing.T) {
				x := newRig(t, 2, files)
				x.Spec.Pinning = pin
				x.Spec.Latency = true
				x.Spec.IntervalNS = int64(ms / 2)
				x.Spec.RuntimeNS = intervals * x.Spec.IntervalNS
				var first, last runtime.MemStats
				told := 0
				x.interval = func(*result.Result, *result.Interval) error {
					switch told++; told {
					case 1:
						runtime.ReadMemStats(&first)
					case intervals * 3 / 4: // the end of the window may be told with what comes after it
						runtime.ReadMemStats(&last)
					}
					return nil
				}
				// An observer that is late on a busy machine sees what comes after the window: once more.
				for try := 1; ; try++ {
					told = 0
					res, err := x.run()
					if err != nil || len(res.Intervals) != intervals {
						t.Fatalf("%d intervals, %v", len(res.Intervals), err)
					}
					n, collections := last.Mallocs-first.Mallocs, last.NumGC-first.NumGC
					if n < allowed && collections == 0 {
						return
					}
					if try == 4 {
						t.Fatalf("%d allocations in %d intervals, %d collections", n, intervals-1, collections)
					}
				}
			})
		}
	}
}

// The same to the object, for what the reading thread does in an interval.
func TestIntervalAllocatesNothing(t *testing.T) {
	onThread(func() {
		x := newRig(t, 3, 4)
		x.Spec.RuntimeNS = int64(time.Hour)
		r := &run{Options: x.Options, res: &result.Result{Spec: x.Spec, Targets: make([]result.Target, 4)}, crew: &crew{failed: make(chan *member, 1)}}
		for i, ts := range affinity.Assign(3, 4) {
			c := engine.Config{Spec: &r.Spec, Depth: 8, SubmitBatch: 4, CompleteBatch: 4, Files: make([]engine.File, len(ts))}
			sub, err := x.eng.Open(c)
			if err != nil {
				t.Error(err)
				return
			}
			r.res.Placements = append(r.res.Placements, result.Placement{Submitter: i, Targets: ts})
			r.crew.members = append(r.crew.members, &member{index: i, sub: sub})
		}
		w := newWindow(r.res, r.crew.members)
		w.open()
		timer := time.NewTimer(time.Hour)
		out := &feed{wake: make(chan struct{}, 1), broken: make(chan error, 1)}
		got := testing.AllocsPerRun(200, func() {
			if end := r.waitUntil(timer, w, time.Now().Add(50*time.Microsecond), out); end.reason != "" {
				t.Errorf("end %+v", end)
			}
			w.take(false)
			out.publish(r.res.Intervals)
		})
		if got != 0 || len(r.res.Intervals) != 201 {
			t.Errorf("%v allocations in each of %d intervals", got, len(r.res.Intervals))
		}
	})
}

// An interval that is taken late is long, and the stump after it is marked: its
// rate is noise, and would win as the best interval.
func TestLateInterval(t *testing.T) {
	onThread(func() {
		x := newRig(t, 1, 0)
		res := &result.Result{Spec: x.Spec, Placements: []result.Placement{{}}}
		res.Spec.IntervalNS = int64(20 * ms)
		sub, err := x.eng.Open(engine.Config{Spec: &res.Spec, Depth: 8, SubmitBatch: 4, CompleteBatch: 4})
		if err != nil {
			t.Error(err)
			return
		}
		w := newWindow(res, []*member{{sub: sub}})
		w.open()
		time.Sleep(40 * ms)
		if iv := w.take(false); iv.Partial || iv.LengthNS < int64(40*ms) {
			t.Errorf("late: %v, partial %v", time.Duration(iv.LengthNS), iv.Partial)
		}
		if iv := w.take(false); !iv.Partial || iv.LengthNS > int64(20*ms) {
			t.Errorf("stump: %v, partial %v", time.Duration(iv.LengthNS), iv.Partial)
		}
	})
}

// onThread runs f on an OS thread of its own, which ends with it.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

func TestCollectionIsOffInTheWindowOnly(t *testing.T) {
	const before = 77
	defer debug.SetGCPercent(debug.SetGCPercent(before))
	endings := map[string]fake.Script{
		"time":  {},
		"fatal": {IO: fake.FatalAt(40, syscall.ENODEV)},
		"stuck": {Stuck: 1},
	}
	for name, script := range endings {
		t.Run(name, func(t *testing.T) {
			x := newRig(t, 1, 1)
			x.only(0, script)
			x.DrainTimeout = 20 * ms
			x.interval = func(*result.Result, *result.Interval) error {
				if got := debug.SetGCPercent(-1); got != -1 {
					t.Errorf("collection is at %d while measuring", got)
				}
				return nil
			}
			_, _ = x.run()
			if got := debug.SetGCPercent(before); got != before {
				t.Errorf("collection is at %d afterwards, was at %d", got, before)
			}
		})
	}
}

func TestProcessorsForAll(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	x := newRig(t, 5, 1)
	x.started = func(*result.Result) error {
		if n := runtime.GOMAXPROCS(0); n < 7 {
			t.Errorf("GOMAXPROCS is %d for 5 submitters", n)
		}
		return nil
	}
	if _, err := x.run(); err != nil {
		t.Fatal(err)
	}
}

// Submitter threads end with their goroutines, and their pinning with them;
// nothing else stays either.
func TestNothingStays(t *testing.T) {
	scripts := map[string]fake.Script{
		"after a run":          {},
		"after a failed open":  {OpenError: syscall.ENOMEM},
		"after a fatal error":  {IO: fake.FatalAt(20, syscall.ENODEV)},
		"after a stuck target": {Stuck: 1},
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			goroutines, files := runtime.NumGoroutine(), openFiles(t)
			x := newRig(t, 3, 2)
			x.Spec.Pinning = result.PinOne
			x.DrainTimeout = 20 * ms
			x.only(1, script)
			_, _ = x.run()
			if n := openFiles(t); n != files {
				t.Errorf("%d descriptors are open, %d were before", n, files)
			}
			for _, s := range x.eng.Submitters() {
				eventually(t, fmt.Sprintf("thread %d ends", s.TID()), func() bool {
					_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", s.TID()))
					return os.IsNotExist(err)
				})
			}
			eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
		})
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); !f(); time.Sleep(ms) {
		if time.Now().After(deadline) {
			t.Errorf("not in two seconds: %s", what)
			return
		}
	}
}

// The reading thread goes back to where it was allowed to run.
func TestReaderReturnsToItsCPUs(t *testing.T) {
	onThread(func() {
		x := newRig(t, 1, 1)
		x.Spec.Pinning = result.PinOne
		before := affinityOf(t)
		if _, err := x.run(); err != nil {
			t.Error(err)
		}
		if after := affinityOf(t); after != before {
			t.Errorf("CPUs %s before, %s after", before, after)
		}
	})
}

// affinityOf is the CPUs of the calling thread.
func affinityOf(t *testing.T) string {
	t.Helper()
	cpus, err := affinity.Allowed()
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprint(cpus)
}
