package bench

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// Run must come back by then, whatever hangs: the window, the deadline, the
// second that crew.stop adds, and some.
func (x *rig) latest() time.Duration {
	return settleLimit + x.Spec.Runtime() + x.DrainTimeout + time.Second + 50*ms
}

func TestDrain(t *testing.T) {
	bubble(t, "slow, but within the deadline", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.only(1, fake.Script{DrainTakes: 290 * ms})
		res, err := x.run()
		if err != nil || !res.End.Drained || x.eng.Count(fake.Close) != 2 {
			t.Errorf("%v, end %+v", err, res.End)
		}
		if sum := res.Summary.WindowNS; sum != int64(100*ms) {
			t.Errorf("the window is %d ns: the drain is no part of it", sum)
		}
	})
	bubble(t, "stuck", func(t *testing.T) {
		x := newRig(t, 3, 3)
		x.only(1, fake.Script{Stuck: 2})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file1 (2 in flight)", "did not come back within 300ms")
		want := []string{x.Spec.Targets[1] + " (2 in flight)"}
		if res.End.Drained || !slices.Equal(res.End.Stuck, want) {
			t.Errorf("end %+v", res.End)
		}
		if n := x.eng.Count(fake.Close); n != 2 {
			t.Errorf("%d closed: the drained ones must be, the other must not", n)
		}
		if x.took > x.latest() {
			t.Errorf("took %v", x.took)
		}
	})
	bubble(t, "stuck on one of a submitter's files", func(t *testing.T) {
		x := newRig(t, 1, 3)
		x.only(0, fake.Script{Stuck: 1})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "(1 in flight)")
		if len(res.End.Stuck) != 1 {
			t.Errorf("end %+v", res.End)
		}
	})
	bubble(t, "two submitters stuck on one file", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.script = func(int) fake.Script { return fake.Script{Stuck: 3} }
		_, err := x.run()
		wantError(t, err, result.StatusIO, "file0 (6 in flight)")
	})
	bubble(t, "later than the deadline", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.only(0, fake.Script{DrainTakes: time.Hour})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file0", "in flight")
		if res.End.Drained || x.took > x.latest() {
			t.Errorf("took %v, end %+v", x.took, res.End)
		}
	})
	bubble(t, "fails", func(t *testing.T) {
		x := newRig(t, 2, 2)
		x.only(1, fake.Script{DrainError: syscall.EBADF})
		res, err := x.run()
		wantError(t, err, result.StatusIO, "drain", "file1", "bad file descriptor")
		if res.End.Drained || len(res.End.Stuck) != 1 || x.eng.Count(fake.Close) != 1 {
			t.Errorf("end %+v", res.End)
		}
	})
	bubble(t, "stuck after another one broke", func(t *testing.T) {
		x := newRig(t, 2, 2)
		x.script = func(i int) fake.Script {
			if i == 0 {
				return fake.Script{Stuck: 1}
			}
			return fake.Script{IO: fake.FatalAt(50, syscall.ENODEV)}
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file1", "disappeared")
		if res.End.Drained || len(res.End.Stuck) != 1 {
			t.Errorf("end %+v", res.End)
		}
	})
}

// A thread that no signal brings back out of the kernel.
func TestHang(t *testing.T) {
	for _, files := range []int{2, 0} {
		bubble(t, fmt.Sprintf("%d files", files), func(t *testing.T) {
			x := newRig(t, 2, files)
			x.Spec.Latency = true
			x.only(1, fake.Script{Block: fake.BlockHang, BlockRound: 30})
			name := "NOP (8 in flight)"
			if files > 0 {
				name = "file1 (8 in flight)"
			}
			res, err := x.run()
			wantError(t, err, result.StatusIO, name)
			if res.End.Drained || len(res.End.Stuck) != 1 || res.End.Reason != "time" {
				t.Errorf("end %+v", res.End)
			}
			if x.took > x.latest() {
				t.Errorf("took %v, want at most %v", x.took, x.latest())
			}
			if k, c := x.eng.Count(fake.Kicked), x.eng.Count(fake.Close); k == 0 || c != 1 {
				t.Errorf("%d kicks, %d closed", k, c)
			}
			x.release()
		})
	}
	bubble(t, "after a signal", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.RuntimeNS = 0
		x.only(0, fake.Script{Block: fake.BlockHang, BlockRound: 10})
		x.started = func(*result.Result) error {
			time.AfterFunc(500*ms, func() { x.stop <- "INT" })
			return nil
		}
		res, err := x.run()
		wantError(t, err, result.StatusIO, "file0 (8 in flight)")
		if res.End.Reason != "signal" || x.took > 500*ms+x.latest() {
			t.Errorf("took %v, end %+v", x.took, res.End)
		}
		x.release()
	})
}

func TestDefaultDrainTimeout(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.DrainTimeout = 0
		x.only(0, fake.Script{Stuck: 1})
		_, err := x.run()
		wantError(t, err, result.StatusIO, "did not come back within 5s")
		if x.took < DefaultDrainTimeout || x.took > DefaultDrainTimeout+time.Second {
			t.Errorf("took %v", x.took)
		}
	})
}
