package result

import (
	"fmt"
	"time"
)

// EngineKind names the way I/O reaches the kernel.
type EngineKind string

// The engines. Their names are those of fio and of the peer's output.
const (
	EngineURing   EngineKind = "io_uring"
	EngineAIO     EngineKind = "aio"     // legacy Linux AIO, io_submit(2)
	EnginePreadv2 EngineKind = "preadv2" // one synchronous read at a time
)

// Op is what one I/O does.
type Op string

// The operations. Nothing here writes.
const (
	OpNop  Op = "nop"
	OpRead Op = "read"
)

// Choice is a boolean that may be left to the tool.
type Choice string

// The values of a Choice. The zero value is ChoiceAuto.
const (
	ChoiceAuto Choice = ""
	ChoiceYes  Choice = "yes"
	ChoiceNo   Choice = "no"
)

// Pinning is how submitters are bound to CPUs.
type Pinning string

// The pinnings.
const (
	PinOne  Pinning = "one"  // each submitter to one CPU of its own, as far as they go
	PinNone Pinning = "none" // wherever the scheduler puts them, inside the allowed set
)

// Spec is one validated request: everything that a run needs to know before
// it looks at a target. config makes it; nobody changes it afterwards.
type Spec struct {
	Engine EngineKind `json:"engine"`
	Op     Op         `json:"op"`

	// Targets are paths as they were given, in their order; empty for NOP.
	Targets []string `json:"targets"`

	Depth         int    `json:"depth"`            // I/Os in flight per submitter
	SubmitBatch   int    `json:"submit_batch"`     // SQEs prepared per io_uring_enter at most; ≤ Depth
	CompleteBatch int    `json:"complete_batch"`   // completions waited for once the depth is reached; ≤ Depth
	BlockSize     int64  `json:"block_size_bytes"` // bytes per I/O
	Threads       int    `json:"submitters"`       // submitter threads
	Random        bool   `json:"random"`           // uniform over all whole blocks; else sequential
	Seed          uint64 `json:"seed"`             // of all offset streams

	Polled         Choice `json:"polled"` // auto: where every target can
	HybridPoll     bool   `json:"hybrid_poll"`
	SQPoll         bool   `json:"sqpoll"`
	SQPollCPU      int    `json:"sqpoll_cpu"`     // -1: not bound
	SQPollIdleMS   int    `json:"sqpoll_idle_ms"` // how long the SQ thread spins before it sleeps
	FixedBuffers   bool   `json:"fixed_buffers"`
	FixedFiles     bool   `json:"fixed_files"`
	RegisteredRing bool   `json:"registered_ring"`
	Vectored       bool   `json:"vectored"`
	Restricted     bool   `json:"restricted"`
	Direct         bool   `json:"direct"`              // O_DIRECT
	Passthrough    bool   `json:"passthrough"`         // NVMe commands to the namespace's character device
	Follow         bool   `json:"follow"`              // take a target's twin (/dev/ngXnY, /dev/nvmeXnY) where that is the one that is needed
	HugeFile       string `json:"huge_file,omitempty"` // hugetlbfs file that holds the I/O buffers

	// RuntimeNS is the length of the measured window; 0 runs until stopped.
	RuntimeNS  int64 `json:"runtime_ns"`
	IntervalNS int64 `json:"interval_ns"`
	// WarmupNS is how long I/O goes on uncounted before the window opens.
	WarmupNS int64 `json:"warmup_ns"`
	// Repeat is how many windows are measured, rings opened anew for each.
	Repeat int `json:"repeat"`
	// UntilSteady ends a window once it is steady; RuntimeNS is the cap.
	UntilSteady bool `json:"until_steady"`
	// SteadyRoundNS is the length of a round of the steady-state criteria, a
	// multiple of IntervalNS.
	SteadyRoundNS int64 `json:"steady_round_ns"`
	// Rounds per cgo crossing; 0 lets the engine choose.
	Rounds      int         `json:"rounds"`
	Latency     bool        `json:"latency"`
	LatencyEach bool        `json:"latency_each"` // a stamp per I/O instead of one per round; only with Latency
	Clock       ClockChoice `json:"clock"`
	// MaxErrors ends the run once more I/Os have failed; 0 is no limit.
	MaxErrors int64 `json:"max_errors"`
	// Strict makes a warning or failure of a check an error of the run.
	Strict bool `json:"strict"`
	// Ceiling asks for a short run of NOPs before that of reads.
	Ceiling bool `json:"ceiling"`
	// Assertions are conditions on the result, as they were given.
	Assertions []string `json:"assertions"`

	Pinning Pinning `json:"pinning"`
	CPUs    string  `json:"cpus,omitempty"` // list syntax of the kernel, "0-3,8"; empty: the allowed set
	NUMA    bool    `json:"numa"`           // prefer the target's node
}

// Runtime is RuntimeNS as a duration.
func (s *Spec) Runtime() time.Duration { return time.Duration(s.RuntimeNS) }

// Interval is IntervalNS as a duration.
func (s *Spec) Interval() time.Duration { return time.Duration(s.IntervalNS) }

// NeedsTarget says whether the operation reads anything.
func (s *Spec) NeedsTarget() bool { return s.Op != OpNop }

// Note is something that was decided or ignored on the user's behalf and that
// they should hear about once, on stderr and in the document.
type Note struct {
	Code string `json:"code"` // stable, lower case, dashes
	Text string `json:"text"` // one sentence
}

// Notef makes a Note.
func Notef(code, format string, args ...any) Note {
	return Note{Code: code, Text: fmt.Sprintf(format, args...)}
}
