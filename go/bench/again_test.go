package bench

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// TestOpenPatiently: the NOPs' rings may still be counted when those of the
// reads are opened. That must not fail the run, nor hide what does.
func TestOpenPatiently(t *testing.T) {
	setup := &engine.Error{Step: engine.StepSetup, Errno: syscall.ENOMEM}
	buffers := &engine.Error{Step: engine.StepBuffers, Errno: syscall.ENOMEM, Bytes: 1 << 19}
	for name, c := range map[string]struct {
		fails   error
		times   int // how often opening reads fails
		ceiling bool
		opens   int // how often it is tried
		status  int
	}{
		"a ring, twice":     {setup, 2, true, 3, result.StatusOK},
		"buffers, once":     {buffers, 1, true, 2, result.StatusOK},
		"for good":          {buffers, 1000, true, againTries + 1, result.StatusSetup},
		"not allowed":       {&engine.Error{Step: engine.StepSetup, Errno: syscall.EPERM}, 1000, true, 1, result.StatusSetup},
		"nothing was there": {setup, 1000, false, 1, result.StatusSetup},
	} {
		bubble(t, name, func(t *testing.T) {
			x := newCeilingRig(t, 1, 1, fake.Script{})
			x.Spec.Ceiling = c.ceiling
			var mu sync.Mutex
			opens := 0
			x.eng.Script = func(cfg engine.Config) fake.Script {
				mu.Lock()
				defer mu.Unlock()
				if cfg.Spec.Op == result.OpNop {
					return fake.Script{}
				}
				if opens++; opens <= c.times {
					return fake.Script{OpenError: c.fails}
				}
				return fake.Script{}
			}
			_, err := x.run()
			if c.status != result.StatusOK {
				wantError(t, err, c.status)
			} else if err != nil {
				t.Error(err)
			}
			if opens != c.opens {
				t.Errorf("tried %d times, want %d", opens, c.opens)
			}
			if x.took > 2*time.Second {
				t.Errorf("took %v", x.took)
			}
		})
	}
	bubble(t, "signal", func(t *testing.T) {
		x := newCeilingRig(t, 1, 1, fake.Script{})
		x.eng.Script = func(cfg engine.Config) fake.Script {
			if cfg.Spec.Op == result.OpNop {
				return fake.Script{}
			}
			return fake.Script{OpenError: setup}
		}
		time.AfterFunc(500*ms, func() { x.stop <- "INT" })
		_, err := x.run()
		wantError(t, err, result.StatusIO, "before the run had begun")
		if x.took > 550*ms {
			t.Errorf("took %v", x.took)
		}
	})
}
