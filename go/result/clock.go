package result

// ClockChoice is which clock latency shall be taken from.
type ClockChoice string

// The choices. ClockAuto, the zero value, is the CPU's time-stamp counter where
// the kernel trusts it, else CLOCK_MONOTONIC.
const (
	ClockAuto      ClockChoice = ""
	ClockTSC       ClockChoice = "tsc"
	ClockMonotonic ClockChoice = "monotonic"
)

// Clock is the clock in force.
type Clock struct {
	Source ClockChoice `json:"source"` // tsc or monotonic
	// TSCHz is what calibrating the time-stamp counter against CLOCK_MONOTONIC
	// came to, in ticks per second.
	TSCHz OptFloat `json:"tsc_hz"`
	// WhyNotTSC is why it is not in force.
	WhyNotTSC string `json:"not_tsc_because,omitempty"`
	// ReadNS is what one reading of the clock takes, ordered against what is
	// around it as the time split needs it; null when nothing ran.
	ReadNS OptFloat `json:"read_ns"`
	// DeviationPercent is by how much the clock was fast over the window,
	// against CLOCK_MONOTONIC, for the submitter where that was most; null
	// without latency.
	DeviationPercent OptFloat `json:"deviation_percent"`
}

// TargetCounters are what became of the I/O to one target, over all submitters
// that read it. Those of all targets add up to Completed, Failed and Bytes of
// the Counters beside them.
type TargetCounters struct {
	Completed uint64 `json:"completed"`
	Failed    uint64 `json:"failed"`
	Bytes     uint64 `json:"bytes"`
}

// Sub is c − o, field by field; o must be an earlier reading.
func (c TargetCounters) Sub(o TargetCounters) TargetCounters {
	return TargetCounters{c.Completed - o.Completed, c.Failed - o.Failed, c.Bytes - o.Bytes}
}

// Add is c + o, field by field.
func (c TargetCounters) Add(o TargetCounters) TargetCounters {
	return TargetCounters{c.Completed + o.Completed, c.Failed + o.Failed, c.Bytes + o.Bytes}
}

// TimeSplit is where the submitters' time went, per I/O: the mean over the
// sampled rounds of all of them, chosen at random, about one in 256. What
// reading the clock takes is not in it.
type TimeSplit struct {
	SampledRounds uint64 `json:"sampled_rounds"`
	SampledIOs    uint64 `json:"sampled_ios"`
	// WaitingRounds are those of them whose system call asked for completions
	// to wait for: the wait is part of entering.
	WaitingRounds  uint64  `json:"waiting_rounds"`
	PrepareNSPerIO float64 `json:"prepare_ns_per_io"`
	EnterNSPerIO   float64 `json:"enter_ns_per_io"`
	ReapNSPerIO    float64 `json:"reap_ns_per_io"`
}
