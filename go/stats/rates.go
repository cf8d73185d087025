package stats

import "ringpeak/go/result"

// Rates are counters put in relation to time and to system calls.
type Rates struct {
	IOPS             float64 // successful completions per second
	BytesPerSecond   float64 // bytes of successful completions per second
	SubmittedPerCall float64 // I/Os submitted per system call
	CompletedPerCall float64 // I/Os completed with success per system call
}

// IntervalRates are the rates of one interval: its total over its own measured
// length. It does not allocate.
func IntervalRates(iv *result.Interval) Rates {
	return CounterRates(iv.Total, iv.LengthNS)
}

// CounterRates are the rates of counters that grew by c in ns nanoseconds.
//
//	IOPS             = Completed / seconds
//	BytesPerSecond   = Bytes / seconds
//	SubmittedPerCall = Submitted / Calls
//	CompletedPerCall = Completed / Calls
//
// A rate without time and a figure per call without calls is zero; whether
// there were calls is in the counters.
func CounterRates(c result.Counters, ns int64) Rates {
	var r Rates
	if ns > 0 {
		seconds := float64(ns) / 1e9
		r.IOPS = float64(c.Completed) / seconds
		r.BytesPerSecond = float64(c.Bytes) / seconds
	}
	if c.Calls > 0 {
		calls := float64(c.Calls)
		r.SubmittedPerCall = float64(c.Submitted) / calls
		r.CompletedPerCall = float64(c.Completed) / calls
	}
	return r
}
