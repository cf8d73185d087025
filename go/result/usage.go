package result

// Usage is what the submitters' threads and the machine spent while the window
// was open. Each reading is stamped with CLOCK_MONOTONIC, and every figure is
// taken over the time between its own two readings (span_ns), which encloses
// the window and is longer than it by the few milliseconds that reading takes;
// completions are counted over that same span. What is null is explained in
// Unknown.
type Usage struct {
	Submitters []SubmitterUsage `json:"submitters"`
	// Total is the sum over Submitters; the span is theirs added up, so that
	// shares are those of the average submitter.
	Total   ThreadUsage  `json:"total"`
	Machine MachineUsage `json:"machine"`
	// Counted says in which mode cycles and instructions were counted:
	// "user+kernel", "user", or "" when they were not.
	Counted string    `json:"counted_in,omitempty"`
	Unknown []Unknown `json:"unknown"`
}

// Unknown explains why a figure is null.
type Unknown struct {
	What string `json:"what"` // the key, or keys
	Why  string `json:"why"`  // in words
}

// SubmitterUsage is that of one submitter.
type SubmitterUsage struct {
	Submitter int `json:"submitter"`
	TID       int `json:"tid"`
	CPU       int `json:"cpu"` // -1: not pinned
	ThreadUsage
}

// ThreadUsage is what a submitter's thread spent, and it alone: SQ threads,
// io-wq workers and interrupts on other CPUs are not in it.
type ThreadUsage struct {
	SpanNS    int64  `json:"span_ns"`
	Completed uint64 `json:"completed"` // successful I/Os over the span
	Calls     uint64 `json:"calls"`     // io_uring_enter (or io_submit + io_getevents, or preadv2) calls over the span

	// RunNS is the time on a CPU, exactly. The kernel divides it into user and
	// system time by what each timer interrupt finds (unless it was built to
	// account exactly), so those two are only as good as there were ticks.
	RunNS    OptInt   `json:"run_ns"`
	UserNS   OptInt   `json:"user_ns"`
	SystemNS OptInt   `json:"system_ns"`
	WaitNS   OptInt   `json:"wait_ns"`   // ready to run, and not on a CPU
	CPUShare OptFloat `json:"cpu_share"` // RunNS / SpanNS

	Slices              OptInt `json:"slices"`               // how often it got onto a CPU
	VoluntarySwitches   OptInt `json:"voluntary_switches"`   // it slept
	InvoluntarySwitches OptInt `json:"involuntary_switches"` // it had to make room
	Migrations          OptInt `json:"migrations"`           // changes of the CPU
	MinorFaults         OptInt `json:"minor_faults"`
	MajorFaults         OptInt `json:"major_faults"`

	Cycles       OptInt   `json:"cycles"`
	Instructions OptInt   `json:"instructions"`
	IPC          OptFloat `json:"instructions_per_cycle"`
	// PMUShare is the part of its time on a CPU for which the two were
	// counted; below 1 they are scaled up to all of it.
	PMUShare OptFloat `json:"counted_share"`

	NSPerIO             OptFloat `json:"cpu_ns_per_io"` // RunNS / Completed
	CyclesPerIO         OptFloat `json:"cycles_per_io"`
	InstructionsPerIO   OptFloat `json:"instructions_per_io"`
	SwitchesPerThousand OptFloat `json:"switches_per_1000_ios"` // of both kinds

	// How full the queue was: of DepthReadings looks at the counters, spread
	// over the window, AtDepth found as much in flight as the depth allows.
	DepthReadings int `json:"depth_readings"`
	AtDepth       int `json:"readings_at_depth"`
}

// MachineUsage is what happened on the machine, by whomever it was caused.
type MachineUsage struct {
	SpanNS int64 `json:"span_ns"`

	CPUs []CPUUsage `json:"cpus"` // those that submitters ran on, or could run on
	// StealNS is what the hypervisor took from those CPUs, all together.
	StealNS OptInt `json:"steal_ns"`
	// The CPU, of all, that spent the largest part of its time on interrupts
	// and softirqs.
	InterruptCPU      OptInt   `json:"interrupt_cpu"`
	InterruptCPUShare OptFloat `json:"interrupt_cpu_share"`

	// Interrupts by device, of its I/O queues; over the window and the few
	// milliseconds that the readings before and after it take. Left out where
	// no device has interrupts that can be told by name.
	DeviceInterrupts map[string]int64 `json:"device_interrupts,omitempty"`
	SoftIRQs         OptInt           `json:"softirqs"`       // on all CPUs
	BlockSoftIRQs    OptInt           `json:"block_softirqs"` // those of them that complete block I/O

	QuotaThrottles   OptInt `json:"quota_throttles"`    // times that the cgroup's CPU quota held this process back
	QuotaThrottledNS OptInt `json:"quota_throttled_ns"` // for so long, summed over CPUs
	ThermalThrottles OptInt `json:"thermal_throttles"`  // events of heat or power limits, summed over CPUs
}

// CPUUsage are the parts of the machine's span that a CPU spent, by anybody.
type CPUUsage struct {
	CPU            int     `json:"cpu"`
	BusyShare      float64 `json:"busy_share"` // neither idle nor waiting for I/O, nor stolen
	IdleShare      float64 `json:"idle_share"` // iowait, which is a kind of idling, included
	IOWaitShare    float64 `json:"iowait_share"`
	InterruptShare float64 `json:"interrupt_share"` // interrupts and softirqs; a part of BusyShare
	StealShare     float64 `json:"steal_share"`
}

// Verdict says what limited a run.
type Verdict string

// The verdicts.
const (
	BoundCPU     Verdict = "cpu"     // the submitters had no time left
	BoundDevice  Verdict = "device"  // they waited for it, at this depth
	BoundMixed   Verdict = "mixed"   // some of them the one, some the other
	BoundUnknown Verdict = "unknown" // it cannot be told
)

// Bound is what limited the run, and the evidence.
type Bound struct {
	Verdict Verdict `json:"verdict"`
	Why     string  `json:"why"`
}
