package fake

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// Submitter is a scripted engine.Submitter.
type Submitter struct {
	engine *Engine
	config engine.Config
	script Script
	tid    int
	kick   chan struct{}

	mu       sync.Mutex // guards what follows
	phase    engine.Phase
	seen     engine.Phase
	counters result.Counters
	returned uint64                // I/Os that came back
	files    []engine.FileCounters // without what is in flight
	round    uint64
	failures []engine.Failure
	window   window

	started, inBatch, stopped, broken, drained, closed bool
}

// Config is what it was opened with.
func (s *Submitter) Config() engine.Config { return s.config }

// TID is the thread that it was opened on.
func (s *Submitter) TID() int { return s.tid }

// Batch implements engine.Submitter.
func (s *Submitter) Batch(rounds int) (stopped bool, err error) {
	s.enter("Batch")
	s.mu.Lock()
	if s.stopped || s.broken || s.drained {
		s.engine.violation("Batch after the submitter has ended")
	}
	first := !s.started
	s.started, s.inBatch = true, true
	s.mu.Unlock()
	if first {
		s.engine.event(Start, s.config.Seed)
	}
	defer func() {
		s.mu.Lock()
		s.inBatch, s.stopped, s.broken = false, stopped, err != nil
		s.mu.Unlock()
	}()
	for i := 0; rounds == 0 || i < rounds; i++ {
		if s.turn() {
			return true, nil
		}
		block, err := s.beginRound()
		if err != nil {
			return false, err
		}
		switch block {
		case BlockKick:
			<-s.kick
			continue
		case BlockHang:
			<-s.engine.released
		}
		time.Sleep(s.pace())
		if err := s.reap(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// pace is how long the present round takes; round is the owning thread's.
func (s *Submitter) pace() time.Duration {
	if s.script.PaceAt != nil {
		return s.script.PaceAt(s.round)
	}
	return s.script.pace()
}

// turn looks at the phase. It returns true when there is no more to submit.
func (s *Submitter) turn() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase != s.seen {
		s.window.turn(s.phase, s.counters.Completed)
		s.seen = s.phase
	}
	return s.phase == engine.PhaseStop
}

// beginRound submits up to a batch, as far as the depth allows.
func (s *Submitter) beginRound() (Block, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.round++
	if err := s.script.submitError(s.round); err != nil {
		return BlockNever, err
	}
	room := s.config.Depth - int(s.counters.InFlight())
	s.counters.Submitted += uint64(min(s.config.SubmitBatch, room))
	s.counters.Calls++
	if s.script.Block != BlockNever && s.round >= s.script.BlockRound {
		return s.script.Block, nil
	}
	return BlockNever, nil
}

// reap takes a batch of completions once the depth is reached.
func (s *Submitter) reap() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int(s.counters.InFlight()) < s.config.Depth {
		return nil
	}
	var fatal error
	for range min(s.config.CompleteBatch, s.config.Depth) {
		if err := s.complete(); err != nil && fatal == nil {
			fatal = err
		}
	}
	return fatal
}

// complete lets one I/O come back. I/Os are dealt to the files in turn and
// come back in order.
func (s *Submitter) complete() error {
	file := s.fileOf(s.returned)
	s.returned++
	switch o := s.script.outcome(s.returned); {
	case o.Errno != 0:
		s.fail(file, o)
		if o.Fatal {
			return &engine.Error{Step: engine.StepReap, Errno: o.Errno, File: file}
		}
	case o.Short:
		s.counters.Short++
		s.fail(file, o)
	default:
		s.counters.Completed++
		s.files[file].Completed++
		if s.config.Spec.NeedsTarget() {
			s.counters.Bytes += uint64(s.config.Spec.BlockSize)
		}
	}
	return nil
}

func (s *Submitter) fail(file int, o Outcome) {
	s.counters.Failed++
	s.files[file].Failed++
	for i := range s.failures {
		if f := &s.failures[i]; f.File == file && f.Errno == o.Errno {
			f.Count++
			return
		}
	}
	s.failures = append(s.failures, engine.Failure{File: file, Errno: o.Errno, Count: 1})
}

func (s *Submitter) fileOf(n uint64) int { return int(n % uint64(max(len(s.config.Files), 1))) }

// Drain implements engine.Submitter.
func (s *Submitter) Drain(timeout time.Duration) error {
	s.enter("Drain")
	s.engine.event(Drain, s.config.Seed)
	if s.script.DrainError != nil {
		return s.script.DrainError
	}
	time.Sleep(min(s.script.DrainTakes, timeout))
	late := s.script.DrainTakes > timeout
	s.mu.Lock()
	for !late && int(s.counters.InFlight()) > s.script.Stuck {
		_ = s.complete() // the run is over anyway
	}
	left := s.counters.InFlight()
	s.drained = left == 0
	s.mu.Unlock()
	if left == 0 {
		return nil
	}
	time.Sleep(timeout - min(s.script.DrainTakes, timeout))
	return engine.ErrStuck
}

// Close implements engine.Submitter.
func (s *Submitter) Close() {
	s.mu.Lock()
	again, drained := s.closed, s.drained
	s.closed = true
	s.mu.Unlock()
	if again {
		return
	}
	s.onThread("Close")
	if !drained {
		s.engine.violation("Close without a successful Drain")
	}
	s.engine.event(Close, s.config.Seed)
}

// enter checks the rules for a call of the owning thread.
func (s *Submitter) enter(call string) {
	s.onThread(call)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive(call)
}

func (s *Submitter) onThread(call string) {
	if tid := unix.Gettid(); tid != s.tid {
		s.engine.violation("%s on thread %d of a submitter that was opened on %d", call, tid, s.tid)
	}
}

// alive checks that the submitter has not been closed; s.mu is held.
func (s *Submitter) alive(call string) {
	if s.closed {
		s.engine.violation("%s after Close", call)
	}
}
