package bench

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

const ms = time.Millisecond

// perSecond is what one undisturbed submitter of a rig does: a batch of 4 in
// each round of a millisecond.
const perSecond = 4000

func TestIntervals(t *testing.T) {
	tests := []struct {
		name              string
		runtime, interval time.Duration
		lengths           []time.Duration
		lastPartial       bool
	}{
		{"as many as fit", 100 * ms, 20 * ms, []time.Duration{20 * ms, 20 * ms, 20 * ms, 20 * ms, 20 * ms}, false},
		{"one", 20 * ms, 20 * ms, []time.Duration{20 * ms}, false},
		{"a rest", 50 * ms, 20 * ms, []time.Duration{20 * ms, 20 * ms, 10 * ms}, true},
		{"shorter than an interval", 15 * ms, 20 * ms, []time.Duration{15 * ms}, true},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x := newRig(t, 2, 1)
			x.Spec.RuntimeNS, x.Spec.IntervalNS = int64(tt.runtime), int64(tt.interval)
			seen := 0
			var last int64 = -1
			x.interval = func(_ *result.Result, iv *result.Interval) error {
				if seen++; iv.StartNS <= last {
					t.Errorf("interval %d begins at %d, the one before it at %d", seen, iv.StartNS, last)
				}
				last = iv.StartNS
				return nil
			}
			res, err := x.run()
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Intervals) != len(tt.lengths) || seen != len(tt.lengths) {
				t.Fatalf("%d intervals, %d seen, want %d", len(res.Intervals), seen, len(tt.lengths))
			}
			for i, iv := range res.Intervals {
				last := i == len(tt.lengths)-1
				if time.Duration(iv.LengthNS) != tt.lengths[i] || iv.Partial != (last && tt.lastPartial) {
					t.Errorf("interval %d: %v, partial %v", i, time.Duration(iv.LengthNS), iv.Partial)
				}
				if off := math.Abs(rateOf(&iv)/(2*perSecond) - 1); off > 0.15 {
					t.Errorf("interval %d: %v IOPS, want about %v", i, rateOf(&iv), 2*perSecond)
				}
				for j, n := range iv.InFlight {
					if n == 0 || int(n) > x.Spec.Depth {
						t.Errorf("interval %d: submitter %d has %d in flight", i, j, n)
					}
				}
			}
			if diff := cmp.Diff(result.End{Reason: "time", Drained: true}, res.End); diff != "" {
				t.Errorf("end -want +got\n%s", diff)
			}
		})
	}
}

// Whoever reads the output may pause: the clock does not wait for them.
func TestSlowObserver(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 1, 1)
		n := 0
		x.interval = func(*result.Result, *result.Interval) error {
			if n++; n == 2 {
				time.Sleep(39500 * time.Microsecond)
			}
			return nil
		}
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		want := []struct {
			length  time.Duration
			partial bool
		}{{20 * ms, false}, {20 * ms, false}, {20 * ms, false}, {20 * ms, false}, {20 * ms, false}}
		if len(res.Intervals) != len(want) {
			t.Fatalf("%d intervals", len(res.Intervals))
		}
		for i, iv := range res.Intervals {
			if time.Duration(iv.LengthNS) != want[i].length || iv.Partial != want[i].partial {
				t.Errorf("interval %d: %v, partial %v; want %+v", i, time.Duration(iv.LengthNS), iv.Partial, want[i])
			}
			if off := math.Abs(rateOf(&iv)/perSecond - 1); !iv.Partial && off > 0.15 {
				t.Errorf("interval %d: %v IOPS", i, rateOf(&iv))
			}
		}
		if s := res.Summary; s.IOPSMax > 1.15*perSecond || s.Intervals != 5 || s.WindowNS != int64(100*ms) {
			t.Errorf("summary %+v", s)
		}
	})
}

// Nobody submits any more while the last interval is being told.
func TestStopsBeforeItTells(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 1, 1)
		told := 0
		x.interval = func(*result.Result, *result.Interval) error {
			if told++; told == 5 {
				time.Sleep(time.Second)
			}
			return nil
		}
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		all := x.eng.Submitters()[0].Counters().Completed
		if outside := all - res.Summary.Total.Completed; outside > 32 {
			t.Errorf("%d completions outside of the window", outside)
		}
	})
}

func TestUnlimitedRuntimeGrows(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 2, 3)
		x.Spec.RuntimeNS, x.Spec.IntervalNS = 0, int64(ms)
		want := chunk + 10
		told := 0
		x.interval = func(*result.Result, *result.Interval) error {
			if told++; told == want {
				x.stop <- "TERM"
			}
			return nil
		}
		res, err := x.run()
		if err != nil || len(res.Intervals) != want+1 || res.End.Signal != "TERM" {
			t.Fatalf("%d intervals, %+v, %v", len(res.Intervals), res.End, err)
		}
		for i, iv := range res.Intervals[:want] {
			if len(iv.InFlight) != 3 || iv.LengthNS != int64(ms) {
				t.Fatalf("interval %d: %+v", i, iv)
			}
		}
	})
}

// What growing leaves behind stays until the end of the run: it must not be
// more than the intervals themselves.
func TestGrowingLeavesLittle(t *testing.T) {
	onThread(func() {
		x := newRig(t, 1, 0)
		res := &result.Result{Spec: x.Spec, Placements: []result.Placement{{}}}
		sub, err := x.eng.Open(engine.Config{Spec: &res.Spec, Depth: 8, SubmitBatch: 4, CompleteBatch: 4})
		if err != nil {
			t.Error(err)
			return
		}
		res.Spec.RuntimeNS = 0
		w := newWindow(res, []*member{{sub: sub}})
		w.open()
		left := 0
		for range 40*chunk + 1 {
			room := cap(res.Intervals)
			if w.take(false); cap(res.Intervals) != room {
				left += room
			}
		}
		if n := len(res.Intervals); n != 40*chunk+1 || left > cap(res.Intervals) || cap(res.Intervals) > 2*n {
			t.Errorf("room for %d intervals was left behind, there are %d with room for %d", left, n, cap(res.Intervals))
		}
		for i := range res.Intervals {
			if iv := &res.Intervals[i]; len(iv.Submitters) != 1 || len(iv.InFlight) != 1 || i > 0 && &iv.Submitters[0] == &res.Intervals[i-1].Submitters[0] {
				t.Fatalf("interval %d: %+v", i, iv)
			}
		}
	})
}

// The window opens on full queues, but does not wait for a target that never
// answers.
func TestSettle(t *testing.T) {
	bubble(t, "waits for the first completion", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.only(1, fake.Script{Pace: 30 * ms})
		x.Spec.RuntimeNS = int64(200 * ms)
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		if first := res.Intervals[0].InFlight; first[1] != 8 && first[1] != 4 {
			t.Errorf("in flight %v", first)
		}
		if x.took < 260*ms || x.took > 300*ms { // 8 need two rounds
			t.Errorf("took %v, want 200 ms after a settling of 60 and before a drain", x.took)
		}
	})
	bubble(t, "not for ever", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.only(0, fake.Script{Block: fake.BlockKick})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "nothing was measured")
		if len(res.Intervals) != 5 || x.took > 250*ms {
			t.Errorf("%d intervals, took %v", len(res.Intervals), x.took)
		}
	})
}

func TestStalledIntervals(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.IntervalNS, x.Spec.RuntimeNS = int64(500*ms), int64(2500*ms)
		x.only(0, fake.Script{Block: fake.BlockKick, BlockRound: 900})
		res, err := x.run()
		if err != nil || len(res.Intervals) != 5 {
			t.Fatalf("%v", err)
		}
		if c := checkOf(res, "stalled"); c.State != result.CheckWarn || !strings.Contains(c.Text, "nothing completed for 1.5 s") {
			t.Errorf("check %+v", c)
		}
		if x.eng.Count(fake.Kicked) == 0 {
			t.Error("a submitter that sleeps in the kernel was not kicked")
		}
		if !res.End.Drained || x.eng.Count(fake.Close) != 1 {
			t.Errorf("end %+v", res.End)
		}
	})
}
