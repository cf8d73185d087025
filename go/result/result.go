package result

import "slices"

// SchemaVersion names the layout of the document. Fields may be added under
// one version; a field that changes its meaning or goes takes a new one.
const SchemaVersion = "ringpeak.result/1"

// Result is the document of one run.
type Result struct {
	Schema  string   `json:"schema"`
	Tool    Tool     `json:"tool"`
	Command []string `json:"command"` // argv
	System  System   `json:"system"`
	Started string   `json:"started"` // RFC 3339, UTC

	Spec       Spec        `json:"spec"`
	Targets    []Target    `json:"targets"`
	Placements []Placement `json:"placements"`
	Clock      Clock       `json:"clock"`   // of latency, and of the time split
	Granted    Granted     `json:"granted"` // what every submitter got; they are opened alike
	Notes      []Note      `json:"notes"`

	Intervals    []Interval       `json:"intervals"`
	Repeats      []Repeat         `json:"repeats,omitempty"` // with --repeat; the rest is over all of them
	Summary      Summary          `json:"summary"`
	PerSubmitter []Counters       `json:"per_submitter"` // over the window; they add up to Summary.Total
	PerTarget    []TargetCounters `json:"per_target"`    // the same by target; empty for NOP
	TimeSplit    *TimeSplit       `json:"time_split"`    // null when no round was taken apart
	Errors       []ErrorCount     `json:"errors"`
	Latency      *Latency         `json:"latency"` // null unless asked for
	Histogram    *Histogram       `json:"histogram,omitempty"`
	Ceiling      *Ceiling         `json:"ceiling"` // null for NOPs, and with --no-ceiling
	Usage        *Usage           `json:"usage"`   // null when no window was opened, and with --repeat, where each repeat has its own
	Bound        *Bound           `json:"bound"`   // null with Usage
	Checks       []Check          `json:"checks"`
	Assertions   []Assertion      `json:"assertions"`
	End          End              `json:"end"`
}

// Tool says which program measured.
type Tool struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Liburing string `json:"liburing"`
	CoreID   string `json:"core_id"` // hash of the C sources and flags that were linked
	Go       string `json:"go"`
}

// System says where it ran.
type System struct {
	Kernel   string `json:"kernel"`       // uname -r
	Build    string `json:"kernel_build"` // uname -v
	Machine  string `json:"machine"`      // uname -m
	Cmdline  string `json:"kernel_cmdline"`
	CPUModel string `json:"cpu_model"`
	// Clocksource is the one that the kernel keeps time by; empty is unknown.
	Clocksource string `json:"clocksource,omitempty"`
	// TSCTrusted says whether the kernel holds the time-stamp counter to be one to keep time by, WhyNotTSC why not.
	TSCTrusted bool   `json:"tsc_trusted"`
	WhyNotTSC  string `json:"tsc_not_trusted_because,omitempty"`
	CPUs       int    `json:"cpus_online"`
	Allowed    string `json:"cpus_allowed"` // list syntax
	// MemAvailable is what the kernel thinks can be allocated, in bytes; 0 is unknown.
	MemAvailable int64 `json:"memory_available_bytes"`
	// IOURingDisabled is sysctl kernel.io_uring_disabled (6.6+): 0, 1 or 2; null before.
	IOURingDisabled OptInt `json:"io_uring_disabled"`
	// Seccomp is the mode in /proc/self/status: 0 none, 2 filter.
	Seccomp OptInt `json:"seccomp_mode"`

	Environment Environment `json:"environment"`
}

// Summary is what the intervals come to. Rates are per second.
type Summary struct {
	WindowNS  int64    `json:"window_ns"` // first reading to last; the sum over repeats
	Total     Counters `json:"total"`
	Intervals int      `json:"intervals"` // whole ones, which the spread is taken over

	// In flight at the two ends of the window: InFlightBefore + Submitted =
	// Completed + Failed + InFlightAfter.
	InFlightBefore uint64 `json:"in_flight_before"`
	InFlightAfter  uint64 `json:"in_flight_after"`

	IOPSMean   float64  `json:"iops_mean"` // Total.Completed over WindowNS
	IOPSMedian float64  `json:"iops_median"`
	IOPSMin    float64  `json:"iops_min"`
	IOPSMax    float64  `json:"iops_max"`    // the best single interval
	IOPSStdDev OptFloat `json:"iops_stddev"` // null with fewer than two whole intervals

	IOPSMedian95    *MedianInterval `json:"iops_median_95"` // null when it is not known
	IOPSMedian95Why string          `json:"iops_median_95_unknown_because,omitempty"`
	Trend           *Trend          `json:"trend"`             // null with fewer than five whole intervals
	Steady          *Steady         `json:"steady"`            // null with too few intervals, and over repeats, which have their own
	Repeats         *RepeatSpread   `json:"repeats,omitempty"` // with --repeat

	BytesPerSecond   float64 `json:"bytes_per_second"`
	SubmittedPerCall float64 `json:"submitted_per_call"`
	CompletedPerCall float64 `json:"completed_per_call"`
}

// Latency summarises a Histogram. It is null when nothing was recorded.
type Latency struct {
	Samples     uint64       `json:"samples"`
	OverRange   uint64       `json:"over_range"`
	MeanNS      float64      `json:"mean_ns"`
	MinNS       int64        `json:"min_ns"`
	MaxNS       int64        `json:"max_ns"`
	StdDevNS    float64      `json:"stddev_ns"`
	Percentiles []Percentile `json:"percentiles"`
}

// Percentile is one point of the distribution.
type Percentile struct {
	Percent float64 `json:"percent"`
	NS      int64   `json:"ns"`
}

// CheckState is the outcome of a Check. Unknown is never a pass.
type CheckState string

// The outcomes.
const (
	CheckPass    CheckState = "pass"
	CheckWarn    CheckState = "warn"
	CheckFail    CheckState = "fail"
	CheckUnknown CheckState = "unknown"
)

// Severity orders the outcomes, pass least: a warning outweighs what is not
// known. That of no outcome is below all.
func (s CheckState) Severity() int {
	return slices.Index([]CheckState{CheckPass, CheckUnknown, CheckWarn, CheckFail}, s)
}

// Check is one reason to believe the number, or not to.
type Check struct {
	Code   string     `json:"code"` // stable, lower case, dashes
	State  CheckState `json:"state"`
	Text   string     `json:"text"`             // one sentence with the figures
	Advice string     `json:"advice,omitempty"` // what to do, when it is not a pass
}

// End says how the run ended.
type End struct {
	Reason  string   `json:"reason"`           // "time", "steady", "signal", "error"
	Signal  string   `json:"signal,omitempty"` // INT, TERM, HUP
	Error   string   `json:"error,omitempty"`  // the fatal one
	Drained bool     `json:"drained"`          // nothing was left in flight
	Stuck   []string `json:"stuck,omitempty"`  // targets with I/O that did not come back
	Status  int      `json:"exit_status"`
}
