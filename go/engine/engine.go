// Package engine defines what drives I/O: an Engine opens Submitters, and a
// Submitter is one ring, its buffers and its counters on one locked OS
// thread. cring is the real one (the C loop through cgo), fake a scripted one
// for tests of the runner.
//
// It does not decide when to start and stop, pin threads, open targets or
// turn counters into rates. It may import result only.
package engine

import (
	"fmt"
	"syscall"
	"time"

	"ringpeak/go/result"
)

// Phase tells a submitter what to do with its next round.
type Phase uint32

// The phases, in order. They are the numbers of csrc/ringpeak.h.
const (
	PhaseWarm    Phase = iota // submit, record nothing
	PhaseMeasure              // submit and record latency
	PhaseStop                 // submit no more
)

// Engine opens submitters of one kind.
type Engine interface {
	// Probe asks the kernel what it grants for this kind of run. It comes
	// before any Open.
	Probe(spec *result.Spec, polled bool) error
	// Calibrate holds the CPU's time-stamp counter against CLOCK_MONOTONIC for
	// that long. It is an *Error of StepClock where that cannot be done.
	Calibrate(length time.Duration) (Clock, error)
	// Open opens a submitter on the calling thread, which must be locked
	// and is the only one to call Batch, Drain and Close afterwards.
	Open(c Config) (Submitter, error)
}

// Config is what one submitter is opened with. C keeps none of it.
type Config struct {
	Spec                              *result.Spec
	Polled                            bool
	Depth, SubmitBatch, CompleteBatch int
	Files                             []File // empty for NOP
	Seed                              uint64 // of this submitter's offset stream
	// FirstError makes any failed I/O end the run, with StepReap.
	FirstError bool
	// BufferFD is a hugetlbfs file that holds the I/O buffers from
	// BufferOffset on; -1 for anonymous memory.
	BufferFD     int
	BufferOffset int64
	Clock        Clock
}

// File is one target of a submitter.
type File struct {
	FD     int
	Blocks int64 // whole blocks of the run's block size
	Start  int64 // block at which a sequential walk begins

	// The rest is for passthrough, as in csrc/ringpeak.h.

	NSID     uint32 // namespace
	LBAs     uint32 // per block
	Transfer uint32 // bytes per block as transferred
	Metadata uint32 // bytes per block of metadata in a buffer of its own
	Control  uint32 // bits of command dword 12 beside the LBA count
}

// Submitter is one source of I/O.
type Submitter interface {
	// Batch makes up to rounds rounds (0: as many as the engine finds
	// good). It returns stopped once the phase is PhaseStop, and an *Error
	// when the run cannot go on.
	Batch(rounds int) (stopped bool, err error)
	// Drain reaps until nothing is in flight; ErrStuck after the timeout.
	Drain(timeout time.Duration) error
	// Close frees everything; idempotent. The submitter must be drained.
	Close()

	// The rest may be called from any thread until Close.

	SetPhase(Phase)
	// Kick interrupts a Batch that sleeps in the kernel, so that it looks
	// at its phase.
	Kick()
	Granted() result.Granted
	Counters() result.Counters
	// Read is Counters and what became of the I/O to each file, in one
	// reading: the files, one at least, add up to the totals exactly. NOPs
	// count as those of one file.
	Read(files []FileCounters) result.Counters
	Failures() []Failure
	// Overflows is the number of CQEs that found the CQ full; known after Drain.
	Overflows() uint64
	// Window is the latency that was recorded; nil when none was. Only
	// after Batch has returned stopped.
	Window() *Window
	// Split is where the time of the measured rounds went; as for Window.
	Split() Split
}

// Failure is how often I/O to one file failed in one way.
type Failure struct {
	File  int           // index into Config.Files
	Errno syscall.Errno // 0: a short read, or Status
	// Status is the NVMe status of a passthrough command, without the phase
	// bit; 0 when there is none.
	Status uint32
	Count  uint64
}

// Window is the latency recorded between PhaseMeasure and PhaseStop.
type Window struct {
	Length    time.Duration
	Clock     time.Duration // Length by the clock of the stamps
	Completed uint64        // successful I/Os in the window = samples + over-range
	InFlight  float64       // mean over time, from the counters and not from latencies
	Histogram result.Histogram
}

// Step says where an errno came from. The numbers are those of csrc/ringpeak.h,
// as far as it has them.
type Step uint32

// The steps.
const (
	StepNone Step = iota
	StepConfig
	StepMemory
	StepSetup
	StepBuffers
	StepFiles
	StepRingFD
	StepRestrict
	StepSubmit
	StepReap
	StepClock // calibrating; no step of csrc/ringpeak.h
)

var stepNames = [...]string{
	"", "check the configuration", "allocate buffers", "set up the ring",
	"register buffers", "register files", "register the ring",
	"restrict the ring", "submit", "read", "calibrate the time-stamp counter",
}

func (s Step) String() string {
	if int(s) < len(stepNames) {
		return stepNames[s]
	}
	return fmt.Sprintf("step %d", uint32(s))
}

// Error is a failure of the engine: an errno and where it came from. bench
// turns it into a sentence for people.
type Error struct {
	Step  Step
	Errno syscall.Errno
	File  int   // index into Config.Files, for StepReap
	Bytes int64 // of buffers, for StepMemory and StepBuffers
}

func (e *Error) Error() string { return e.Step.String() + ": " + e.Errno.Error() }

// Unwrap returns the errno, for errors.Is.
func (e *Error) Unwrap() error { return e.Errno }

// ErrStuck is what Drain returns when I/O does not come back in time.
var ErrStuck = fmt.Errorf("I/O still in flight: %w", syscall.ETIMEDOUT)
