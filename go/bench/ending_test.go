package bench

import (
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

func TestSignal(t *testing.T) {
	bubble(t, "in the third interval", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.started = func(*result.Result) error {
			time.AfterFunc(55*ms, func() { x.stop <- "INT" })
			return nil
		}
		res, err := x.run()
		if err != nil {
			t.Fatal(err)
		}
		if res.End.Reason != "signal" || res.End.Signal != "INT" || !res.End.Drained {
			t.Errorf("end %+v", res.End)
		}
		var partial []bool
		for _, iv := range res.Intervals {
			partial = append(partial, iv.Partial)
		}
		if want := []bool{false, false, true}; !slices.Equal(partial, want) || res.Summary.Intervals != 2 {
			t.Errorf("partial intervals %v, want %v", partial, want)
		}
	})
	bubble(t, "before the start", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.stop <- "TERM"
		res, err := x.run()
		wantError(t, err, result.StatusIO, "nothing was measured", "before the run had begun")
		if opened, closed := x.eng.Count(fake.Open), x.eng.Count(fake.Close); res != nil || opened != closed {
			t.Errorf("%+v, %d opened, %d closed", res, opened, closed)
		}
		if x.took > 150*ms {
			t.Errorf("took %v", x.took)
		}
	})
	bubble(t, "with everything asleep in the kernel", func(t *testing.T) {
		x := newRig(t, 3, 1)
		x.Spec.RuntimeNS = 0
		x.script = func(int) fake.Script { return fake.Script{Block: fake.BlockKick, BlockRound: 100} }
		x.started = func(*result.Result) error {
			time.AfterFunc(time.Second, func() { x.stop <- "INT" })
			return nil
		}
		res, err := x.run()
		if err != nil || !res.End.Drained || x.eng.Count(fake.Close) != 3 {
			t.Errorf("%+v, %v", res.End, err)
		}
		if over := x.took - time.Second; over > 2*kickEvery {
			t.Errorf("stopped %v after the signal", over)
		}
	})
}

// One submitter that cannot go on ends the run of all, at once.
func TestFatal(t *testing.T) {
	tests := []struct {
		name   string
		script fake.Script
		words  []string
		failed uint64
	}{
		{"gone", fake.Script{IO: fake.FatalAt(50, syscall.ENODEV)}, []string{"file1", "disappeared", "ENODEV"}, 1},
		{"submit", fake.Script{FailRound: 20, FailErrno: syscall.EBADF}, []string{"file1", "submitting", "EBADF"}, 0},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x := newRig(t, 3, 3)
			x.Spec.RuntimeNS = int64(time.Minute)
			x.only(1, tt.script)
			res, err := x.run()
			wantError(t, err, result.StatusIO, tt.words...)
			if x.took > time.Second || !res.End.Drained || res.End.Reason != "error" {
				t.Errorf("took %v, end %+v", x.took, res.End)
			}
			if n := x.eng.Count(fake.Close); n != 3 {
				t.Errorf("%d of 3 were closed", n)
			}
			var n uint64
			for _, e := range res.Errors {
				n += e.Count
			}
			if n != tt.failed {
				t.Errorf("errors %+v", res.Errors)
			}
		})
	}
	bubble(t, "while the others sleep", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.Spec.RuntimeNS = int64(time.Minute)
		x.script = func(i int) fake.Script {
			if i == 0 {
				return fake.Script{IO: fake.FatalAt(60, syscall.EINVAL)}
			}
			return fake.Script{Block: fake.BlockKick, BlockRound: 5}
		}
		_, err := x.run()
		wantError(t, err, result.StatusIO, "file0", "EINVAL")
		if x.took > time.Second {
			t.Errorf("took %v", x.took)
		}
	})
}

// A fatal error in the very moment in which time is up is told all the same.
func TestFatalAtTheEnd(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 2, 2)
		x.only(1, fake.Script{Pace: 30 * ms, FailRound: 5, FailErrno: syscall.EIO})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file1", "EIO")
		if !res.End.Drained {
			t.Errorf("end %+v", res.End)
		}
	})
}

func TestNothingSucceedsAnyMore(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.Spec.RuntimeNS = int64(time.Minute)
		x.script = func(int) fake.Script { return fake.Script{IO: fake.FailFrom(100, syscall.EIO)} }
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file0", "EIO", "no I/O has succeeded for 500ms")
		if x.took > time.Second || res.End.Reason != "error" || !res.End.Drained {
			t.Errorf("took %v, end %+v", x.took, res.End)
		}
		if got := res.Summary.Total.Completed; got == 0 || got > 2*99 {
			t.Errorf("%d completions", got)
		}
	})
}

func TestObserverErrorEndsTheRun(t *testing.T) {
	broken := errors.New("write stdout: broken pipe")
	bubble(t, "in an interval", func(t *testing.T) {
		x := newRig(t, 2, 1)
		told := 0
		x.interval = func(*result.Result, *result.Interval) error {
			if told++; told == 2 {
				return broken
			}
			return nil
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, broken.Error())
		if !errors.Is(err, broken) || len(res.Intervals) > 3 || told != 2 || !res.End.Drained || res.End.Reason != "error" {
			t.Errorf("%v, end %+v", err, res.End)
		}
	})
	bubble(t, "in the last interval", func(t *testing.T) {
		x := newRig(t, 2, 1)
		told := 0
		x.interval = func(*result.Result, *result.Interval) error {
			if told++; told == 5 {
				return broken
			}
			return nil
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, broken.Error())
		if res.End.Reason != "time" {
			t.Errorf("end %+v", res.End)
		}
	})
	bubble(t, "at the start", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.started = func(*result.Result) error { return broken }
		res, err := x.run()
		wantError(t, err, result.StatusIO, broken.Error())
		if res != nil || x.eng.Count(fake.Start) != 0 || x.eng.Count(fake.Close) != 2 {
			t.Errorf("result %v, events %v", res, x.eng.Events())
		}
	})
}

func TestErrorsAreCountedNotMeasured(t *testing.T) {
	bubble(t, "merged by target and errno", func(t *testing.T) {
		x := newRig(t, 3, 2) // submitters 0 and 1 read file0, submitter 2 file1
		x.script = func(i int) fake.Script {
			if i == 2 {
				return fake.Script{IO: fake.FailAt(10, syscall.ENODATA)}
			}
			return fake.Script{IO: func(n uint64) fake.Outcome {
				switch {
				case n%40 == 0:
					return fake.Outcome{Short: true}
				case n%10 == 0 && n <= 100:
					return fake.Outcome{Errno: syscall.EIO}
				}
				return fake.Outcome{}
			}}
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file0", "I/Os failed")
		type key struct {
			target int
			name   string
		}
		got := map[key]uint64{}
		var sum uint64
		for _, e := range res.Errors {
			got[key{slices.Index(x.Spec.Targets, e.Target), e.Name}] += e.Count
			sum += e.Count
		}
		short := got[key{0, "short read"}]
		if len(res.Errors) != 3 || got[key{0, "EIO"}] != 16 || got[key{1, "ENODATA"}] != 1 || short < 18 {
			t.Errorf("errors %+v", res.Errors)
		}
		if !slices.IsSortedFunc(res.Errors, func(a, b result.ErrorCount) int { return int(b.Count) - int(a.Count) }) {
			t.Errorf("not the most frequent first: %+v", res.Errors)
		}
		var all result.Counters
		for _, s := range x.eng.Submitters() {
			all = all.Add(s.Counters())
		}
		if all.Failed != sum || all.Short != short || all.Bytes != all.Completed*blockSize {
			t.Errorf("counters %+v, errors %d", all, sum)
		}
		if len(res.Intervals) != 5 || res.End.Reason != "time" {
			t.Errorf("%d intervals, end %+v", len(res.Intervals), res.End)
		}
	})
	bubble(t, "short reads only", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.only(0, fake.Script{IO: fake.ShortEvery(2)})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "a short read", "file0")
		if len(res.Errors) != 1 || res.Errors[0].Errno != 0 {
			t.Errorf("errors %+v", res.Errors)
		}
		if r := res.Summary.IOPSMean; r < 0.4*perSecond || r > 0.6*perSecond {
			t.Errorf("%v IOPS of %v submitted, of which every other failed", r, float64(perSecond))
		}
	})
}

func TestOverflowFailsTheRun(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 2, 0)
		x.only(1, fake.Script{Overflows: 3})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "3 completions overflowed")
		if c := checkOf(res, "cq-overflow"); c.State != result.CheckFail {
			t.Errorf("check %+v", c)
		}
	})
	bubble(t, "none", func(t *testing.T) {
		x := newRig(t, 2, 0)
		res, err := x.run()
		if c := checkOf(res, "cq-overflow"); err != nil || c.State != result.CheckPass {
			t.Errorf("check %+v, %v", c, err)
		}
		if b := res.Summary.Total.Bytes; b != 0 {
			t.Errorf("%d bytes of NOPs", b)
		}
	})
}

func TestProbeFails(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 1, 0)
		x.eng.ProbeError = &engine.Error{Step: engine.StepSetup, Errno: syscall.ENOSYS}
		res, err := x.run()
		wantError(t, err, result.StatusSetup, "no io_uring")
		if res != nil || x.eng.Count(fake.Open) != 0 {
			t.Errorf("result %v, events %v", res, x.eng.Events())
		}
	})
}
