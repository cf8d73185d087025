package bench

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// Whatever the depth, the batches and the numbers of submitters and files, a
// run yields its intervals, its counters add up (rig.run checks them), every
// I/O that failed is in one list and every other one in the other.
func TestAnyRun(t *testing.T) {
	for seed := range uint64(60) {
		bubble(t, fmt.Sprint(seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			x := newRig(t, 1+rnd.IntN(6), rnd.IntN(8))
			s := &x.Spec
			s.Depth = []int{1, 2, 3, 7, 31, 32, 33, 1 + rnd.IntN(200)}[rnd.IntN(8)]
			s.SubmitBatch = 1 + rnd.IntN(s.Depth)
			s.CompleteBatch = 1 + rnd.IntN(s.Depth)
			s.Random = rnd.IntN(2) == 0
			s.Latency = rnd.IntN(2) == 0
			s.Rounds = rnd.IntN(3) * rnd.IntN(20)
			s.IntervalNS = int64(1+rnd.IntN(30)) * int64(ms)
			s.RuntimeNS = int64(50+rnd.IntN(100)) * int64(ms)
			failEvery := uint64(rnd.IntN(2) * (2 + rnd.IntN(50)))
			for i := range s.Threads {
				pace := time.Duration(200+rnd.IntN(1000)) * time.Microsecond
				script := fake.Script{Pace: pace, IO: func(n uint64) fake.Outcome {
					switch {
					case failEvery == 0 || n%failEvery != 0:
						return fake.Outcome{}
					case n%(2*failEvery) == 0:
						return fake.Outcome{Short: true}
					}
					return fake.Outcome{Errno: syscall.EIO}
				}}
				before := x.script
				x.script = func(j int) fake.Script {
					if i == j {
						return script
					}
					return before(j)
				}
			}
			x.checkRun(x.run())
		})
	}
}

func (x *rig) checkRun(res *result.Result, err error) {
	t, s := x.t, &x.Spec
	if res == nil {
		t.Fatal(err)
	}
	var all result.Counters
	for _, sub := range x.eng.Submitters() {
		all = all.Add(sub.Counters())
	}
	if want := int((s.RuntimeNS + s.IntervalNS - 1) / s.IntervalNS); len(res.Intervals) != want {
		t.Errorf("%d intervals, want %d", len(res.Intervals), want)
	}
	if !res.End.Drained || all.InFlight() != 0 {
		t.Errorf("%+v, counters %+v", res.End, all)
	}
	var failed uint64
	for _, e := range res.Errors {
		failed += e.Count
	}
	if failed != all.Failed || (err != nil) != (failed > 0) {
		t.Errorf("%d errors listed, %d counted, %v", failed, all.Failed, err)
	}
	if n := res.Summary.Total.Completed; n == 0 || n > all.Completed {
		t.Errorf("%d completions in the window, %d in all", n, all.Completed)
	}
	for i, iv := range res.Intervals {
		at := 0
		for j, p := range res.Placements {
			sum := 0
			for range max(len(p.Targets), 1) {
				sum += int(iv.InFlight[at])
				at++
			}
			if sum > s.Depth {
				t.Errorf("interval %d: submitter %d has %d of %d in flight", i, j, sum, s.Depth)
			}
		}
		if at != len(iv.InFlight) {
			t.Errorf("interval %d: %d in-flight counts of %d files", i, len(iv.InFlight), at)
		}
	}
	if s.Latency && checkOf(res, "latency-complete").State != result.CheckPass {
		t.Errorf("checks %+v", res.Checks)
	}
	if n := x.eng.Count(fake.Close); n != s.Threads {
		t.Errorf("%d closed of %d", n, s.Threads)
	}
}
