package result

// Counters are one submitter's monotone totals. At every moment since it was
// opened Submitted = Completed + Failed + InFlight. Differences of them, as in
// an Interval, obey that up to what was in flight at their beginning.
type Counters struct {
	Submitted uint64 `json:"submitted"` // I/Os the kernel accepted
	Completed uint64 `json:"completed"` // I/Os that succeeded in full; the only thing that IOPS counts
	Failed    uint64 `json:"failed"`    // I/Os that ended in an error or came back short
	Short     uint64 `json:"short"`     // those of Failed that returned fewer bytes than asked
	Bytes     uint64 `json:"bytes"`     // results of completed reads; 0 for NOP
	Calls     uint64 `json:"calls"`     // io_uring_enter (or io_submit + io_getevents, or preadv2) calls
}

// InFlight is what was submitted and has not come back. Reading the counters
// of a running submitter is not one atomic act, so it never goes below zero.
func (c Counters) InFlight() uint64 {
	if done := c.Completed + c.Failed; c.Submitted > done {
		return c.Submitted - done
	}
	return 0
}

// Sub is c − o, field by field; o must be an earlier reading of the same submitter.
func (c Counters) Sub(o Counters) Counters {
	return Counters{
		Submitted: c.Submitted - o.Submitted,
		Completed: c.Completed - o.Completed,
		Failed:    c.Failed - o.Failed,
		Short:     c.Short - o.Short,
		Bytes:     c.Bytes - o.Bytes,
		Calls:     c.Calls - o.Calls,
	}
}

// Add is c + o, field by field.
func (c Counters) Add(o Counters) Counters {
	return Counters{
		Submitted: c.Submitted + o.Submitted,
		Completed: c.Completed + o.Completed,
		Failed:    c.Failed + o.Failed,
		Short:     c.Short + o.Short,
		Bytes:     c.Bytes + o.Bytes,
		Calls:     c.Calls + o.Calls,
	}
}

// Interval is one slice of the measured window. Rates divide by LengthNS,
// which was measured, not planned.
type Interval struct {
	StartNS  int64 `json:"start_ns"`  // since the window opened; of its own repeat, if there are several
	LengthNS int64 `json:"length_ns"` // CLOCK_MONOTONIC between the two readings
	Partial  bool  `json:"partial,omitempty"`
	Repeat   int   `json:"repeat,omitempty"` // from 1 on; 0 when there are none
	// Warmup is one before the window, StartNS below zero. Observers see it;
	// it is in no document and in no sum.
	Warmup bool `json:"warmup,omitempty"`

	Total      Counters         `json:"total"`      // the sum over Submitters
	Submitters []Counters       `json:"submitters"` // deltas, by submitter
	Targets    []TargetCounters `json:"targets"`    // deltas, by target, over all submitters; empty for NOP
	InFlight   []uint32         `json:"in_flight"`  // at the end of the interval, per submitter and target, flattened in placement order
}

// ErrorCount is how often I/O failed in one way on one target.
type ErrorCount struct {
	Target string `json:"target"`
	Errno  int    `json:"errno"`          // positive; 0 for short reads and NVMe statuses
	NVMe   uint32 `json:"nvme_status"`    // of a passthrough command, without the phase bit; 0 when there is none
	Name   string `json:"name,omitempty"` // EIO, …, "short read", or the status's name
	Text   string `json:"text,omitempty"` // in words
	Count  uint64 `json:"count"`
}

// Histogram is a set of latencies in the bucket layout of HdrHistogram.
type Histogram struct {
	LowestNS  int64   `json:"lowest_ns"`
	HighestNS int64   `json:"highest_ns"`
	Digits    int     `json:"significant_digits"`
	Counts    []int64 `json:"counts"`
	Over      uint64  `json:"over_range"` // samples above HighestNS, not in Counts
}
