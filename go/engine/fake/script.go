package fake

import (
	"syscall"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// DefaultPace is how long a round takes when the Script does not say.
const DefaultPace = time.Millisecond

// Outcome is what became of one I/O; the zero value is success.
type Outcome struct {
	Errno syscall.Errno
	Short bool
	// Fatal makes Batch return the errno, as the C loop does for errors that
	// every other I/O will meet as well.
	Fatal bool
}

// Block says what a Batch does at some round instead of going on.
type Block int

// The ways to block.
const (
	BlockNever Block = iota
	// BlockKick waits as a wait in the kernel does: Kick ends it, and the
	// next round is the same again.
	BlockKick
	// BlockHang waits for Engine.Release and nothing else.
	BlockHang
)

// Script is what one submitter does. The zero value works without end and
// without errors.
type Script struct {
	// OpenError fails Open, after OpenTakes.
	OpenError error
	OpenTakes time.Duration

	Pace time.Duration // of a round; 0 is DefaultPace
	// PaceAt is that of the n-th round, n from 1 on, where it differs.
	PaceAt func(n uint64) time.Duration
	// IO decides over the n-th I/O that comes back, n from 1 on; nil is
	// success. It must not allocate if the caller counts allocations.
	IO func(n uint64) Outcome
	// FailRound ends Batch with a StepSubmit error of FailErrno at the start
	// of that round, counted from 1; 0 is never.
	FailRound uint64
	FailErrno syscall.Errno
	// Block happens at every round from BlockRound on.
	Block      Block
	BlockRound uint64

	DrainTakes time.Duration
	DrainError error // what Drain returns at once, with nothing reaped
	Stuck      int   // I/Os that never come back, as far as so many are in flight at the end

	Overflows uint64
	Granted   result.Granted

	// Latency is that of each I/O, if the Spec asks for latencies; 0 is Pace.
	Latency     time.Duration
	LoseSamples uint64  // completions of the window that the histogram lacks
	OverSamples uint64  // those above its range
	InFlight    float64 // mean over the window; 0 follows from Little's law
	ClockOff    float64 // by how much the clock of the stamps is fast, relatively

	Split engine.Split // of the window
}

// FailAt fails the k-th I/O only.
func FailAt(k uint64, e syscall.Errno) func(uint64) Outcome {
	return func(n uint64) Outcome {
		if n == k {
			return Outcome{Errno: e}
		}
		return Outcome{}
	}
}

// FailFrom fails the k-th I/O and all later ones.
func FailFrom(k uint64, e syscall.Errno) func(uint64) Outcome {
	return func(n uint64) Outcome {
		if n >= k {
			return Outcome{Errno: e}
		}
		return Outcome{}
	}
}

// FatalAt makes the k-th I/O end the run.
func FatalAt(k uint64, e syscall.Errno) func(uint64) Outcome {
	return func(n uint64) Outcome {
		if n == k {
			return Outcome{Errno: e, Fatal: true}
		}
		return Outcome{}
	}
}

// ShortEvery makes each k-th I/O come back short.
func ShortEvery(k uint64) func(uint64) Outcome {
	return func(n uint64) Outcome { return Outcome{Short: n%k == 0} }
}

func (s *Script) pace() time.Duration {
	if s.Pace > 0 {
		return s.Pace
	}
	return DefaultPace
}

func (s *Script) latency() time.Duration {
	if s.Latency > 0 {
		return s.Latency
	}
	return s.pace()
}

func (s *Script) outcome(n uint64) Outcome {
	if s.IO == nil {
		return Outcome{}
	}
	return s.IO(n)
}

// submitError is the error of Batch at a round, if any.
func (s *Script) submitError(round uint64) error {
	if s.FailRound == 0 || round < s.FailRound {
		return nil
	}
	return &engine.Error{Step: engine.StepSubmit, Errno: s.FailErrno}
}
