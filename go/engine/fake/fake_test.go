package fake

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

var _ engine.Engine = (*Engine)(nil)

// open opens one submitter of three files on the calling goroutine's thread.
func open(t *testing.T, s Script, change func(*engine.Config)) (*Engine, engine.Submitter) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	e := New(func(engine.Config) Script { return s })
	c := engine.Config{
		Spec:  &result.Spec{Op: result.OpRead, BlockSize: 512, Latency: true},
		Depth: 7, SubmitBatch: 3, CompleteBatch: 2, Files: make([]engine.File, 3),
	}
	if change != nil {
		change(&c)
	}
	sub, err := e.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return e, sub
}

func wantViolations(t *testing.T, e *Engine, want ...string) {
	t.Helper()
	got := e.Violations()
	if len(got) != len(want) {
		t.Fatalf("violations %q, want %q", got, want)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("violation %q, want %q", got[i], want[i])
		}
	}
}

// The books balance at every moment at which somebody can look.
func TestBooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := open(t, Script{IO: func(n uint64) Outcome {
			return Outcome{Short: n%5 == 0}
		}}, nil)
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for range 200 {
					var perFile [3]engine.FileCounters
					c := s.Read(perFile[:])
					if c.InFlight() > 7 || c.Completed+c.Failed > c.Submitted || c.Bytes != 512*c.Completed {
						t.Errorf("counters %+v", c)
					}
					var good, bad uint64
					for _, f := range perFile {
						good, bad = good+f.Completed, bad+f.Failed
						if f.InFlight > 3 { // 7 over 3 files
							t.Errorf("in flight %v", perFile)
						}
					}
					if good != c.Completed || bad != c.Failed {
						t.Errorf("%v are not the files of %+v", perFile, c)
					}
					time.Sleep(700 * time.Microsecond)
				}
			})
		}
		for range 50 {
			if stopped, err := s.Batch(3); stopped || err != nil {
				t.Fatal(stopped, err)
			}
		}
		readers.Wait()
		if err := s.Drain(time.Second); err != nil {
			t.Fatal(err)
		}
		c := s.Counters()
		if c.Submitted != c.Completed+c.Failed || c.Failed != c.Submitted/5 || c.Failed != c.Short || c.Calls != 150 {
			t.Errorf("counters %+v", c)
		}
		var failed uint64
		for _, f := range s.Failures() {
			failed += f.Count
		}
		if failed != c.Failed {
			t.Errorf("failures %+v", s.Failures())
		}
		s.Close()
		s.Close()
		wantViolations(t, e)
	})
}

func TestBlocking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, s := open(t, Script{Block: BlockKick, BlockRound: 4}, nil)
		time.AfterFunc(time.Hour, func() {
			s.Kick() // looks at its phase and sleeps again
			synctest.Wait()
			s.SetPhase(engine.PhaseStop)
			s.Kick()
		})
		if stopped, err := s.Batch(0); !stopped || err != nil || time.Since(began) < time.Hour {
			t.Errorf("%v, %v after %v", stopped, err, time.Since(began))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		e, s := open(t, Script{Block: BlockHang}, nil)
		s.SetPhase(engine.PhaseStop - 1)
		time.AfterFunc(time.Hour, func() { s.SetPhase(engine.PhaseStop); s.Kick() })
		time.AfterFunc(2*time.Hour, e.Release)
		if stopped, err := s.Batch(0); !stopped || err != nil || time.Since(began) < 2*time.Hour {
			t.Errorf("%v, %v after %v", stopped, err, time.Since(began))
		}
		e.Release()
	})
}

func TestFailing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, Script{IO: FatalAt(5, syscall.EIO)}, nil)
		_, err := s.Batch(0)
		var e *engine.Error
		if !errors.As(err, &e) || e.Step != engine.StepReap || e.Errno != syscall.EIO || e.File != 4%3 {
			t.Errorf("got %+v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, Script{FailRound: 3, FailErrno: syscall.EBADF}, nil)
		_, err := s.Batch(0)
		if !errors.Is(err, syscall.EBADF) || s.Counters().Calls != 2 {
			t.Errorf("got %v after %+v", err, s.Counters())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		_, s := open(t, Script{Stuck: 2}, nil)
		_, _ = s.Batch(20)
		began := time.Now()
		if err := s.Drain(time.Second); !errors.Is(err, engine.ErrStuck) || time.Since(began) != time.Second || s.Counters().InFlight() != 2 {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

func TestViolations(t *testing.T) {
	tests := []struct {
		name string
		do   func(s engine.Submitter)
		want []string
	}{
		{"none", func(s engine.Submitter) { _, _ = s.Batch(1); _ = s.Drain(time.Second); s.Close() }, nil},
		{"close without drain", func(s engine.Submitter) { s.Close() }, []string{"Close without"}},
		{"use after close", func(s engine.Submitter) { _ = s.Drain(0); s.Close(); s.Counters(); s.Kick() }, []string{"Counters after Close", "Kick after Close"}},
		{"batch after stop", func(s engine.Submitter) {
			s.SetPhase(engine.PhaseStop)
			_, _ = s.Batch(1)
			_, _ = s.Batch(1)
		}, []string{"Batch after"}},
		{"phase goes back", func(s engine.Submitter) { s.SetPhase(engine.PhaseStop); s.SetPhase(engine.PhaseMeasure) }, []string{"SetPhase(1) after 2"}},
		{"wrong files", func(s engine.Submitter) { s.Read(make([]engine.FileCounters, 1)) }, []string{"Read into 1"}},
		{"wrong thread", func(s engine.Submitter) {
			done := make(chan struct{})
			go func() { // the test's own thread is locked, so this is another
				defer close(done)
				_ = s.Drain(time.Second)
			}()
			<-done
			s.Close()
		}, []string{"Drain on thread"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, s := open(t, Script{}, nil)
			tt.do(s)
			wantViolations(t, e, tt.want...)
		})
	}
}

// The histogram has the layout that stats reads.
func TestWindow(t *testing.T) {
	for _, latency := range []time.Duration{1, 255, 256, 257, time.Microsecond, 123456, time.Second, 60 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			_, s := open(t, Script{Latency: latency}, nil)
			_, _ = s.Batch(10)
			s.SetPhase(engine.PhaseMeasure)
			if s.Window() != nil {
				t.Error("a window before its end")
			}
			_, _ = s.Batch(20)
			s.SetPhase(engine.PhaseStop)
			_, _ = s.Batch(1)
			w := s.Window()
			l, err := stats.Latency(&w.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			if off := l.MeanNS/float64(latency) - 1; off > 0.01 || off < -0.01 || l.Samples != w.Completed || w.Completed == 0 {
				t.Errorf("latency %v: %+v of %d", latency, l, w.Completed)
			}
		})
	}
	_, s := open(t, Script{}, func(c *engine.Config) { c.Spec.Latency = false })
	s.SetPhase(engine.PhaseStop)
	_, _ = s.Batch(1)
	if s.Window() != nil {
		t.Error("a window that nobody asked for")
	}
}
