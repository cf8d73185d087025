package assert

import (
	"fmt"
	"math"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// metric is something about a result that can be compared.
type metric struct {
	name string
	kind kind
	// needs says what a run lacks for it to be measured, "" for nothing.
	needs func(*result.Spec) string
	// value is the metric in its base unit, or why there is none: a clause that
	// goes on after the name. That of a check is its state instead.
	value func(*result.Result) (v float64, why string)
	state func(*result.Result) (s result.CheckState, why string)
}

const notMeasured = "was not measured"

// metrics is the table. Percentiles (pNN) and checks (check:CODE) are not in
// it, since there is no end to them: see lookUp.
func metrics() []metric {
	return []metric{
		{name: "iops", kind: rate, needs: nothing, value: ofWindow(func(s *result.Summary) float64 { return s.IOPSMean })},
		{name: "iops_median", kind: rate, needs: nothing, value: ofWindow(func(s *result.Summary) float64 { return s.IOPSMedian })},
		{name: "iops_min", kind: rate, needs: nothing, value: ofWindow(func(s *result.Summary) float64 { return s.IOPSMin })},
		{name: "iops_max", kind: rate, needs: nothing, value: ofWindow(func(s *result.Summary) float64 { return s.IOPSMax })},
		{name: "iops_stddev", kind: rate, needs: intervals, value: ofSpread(func(s *result.Summary) float64 { return *s.IOPSStdDev })},
		{name: "iops_spread", kind: fraction, needs: intervals, value: ofSpread(func(s *result.Summary) float64 { return *s.IOPSStdDev / s.IOPSMean })},
		{name: "bandwidth", kind: bandwidth, needs: reads, value: ofWindow(func(s *result.Summary) float64 { return s.BytesPerSecond })},
		{name: "ios_per_call", kind: count, needs: nothing, value: perCall},
		{name: "window", kind: duration, needs: nothing, value: ofWindow(func(s *result.Summary) float64 { return float64(s.WindowNS) })},
		{name: "errors", kind: count, needs: nothing, value: failed},
		{name: "short", kind: count, needs: nothing, value: short},
		{name: "latency_mean", kind: duration, needs: latency, value: ofAll(func(l *result.Latency) float64 { return l.MeanNS })},
		{name: "latency_stddev", kind: duration, needs: latency, value: ofAll(func(l *result.Latency) float64 { return l.StdDevNS })},
		{name: "latency_min", kind: duration, needs: latency, value: ofSamples(func(l *result.Latency) float64 { return float64(l.MinNS) })},
		{name: "latency_max", kind: duration, needs: latency, value: ofAll(func(l *result.Latency) float64 { return float64(l.MaxNS) })},
		{name: "ceiling", kind: rate, needs: ceiling, value: ofCeiling(func(c *result.Ceiling) *float64 { return c.IOPS })},
		{name: "ceiling_fraction", kind: fraction, needs: ceiling, value: ofCeiling(func(c *result.Ceiling) *float64 { return c.Fraction })},
	}
}

// Metrics are the names in the table. Beside them there are any percentile
// (p50, p99.9) and the state of any check (check:CODE).
func Metrics() []string {
	var names []string
	for _, m := range metrics() {
		names = append(names, m.name)
	}
	return names
}

// What a run must be like.

func nothing(*result.Spec) string { return "" }

func reads(s *result.Spec) string {
	if !s.NeedsTarget() {
		return "needs a target: a no-op moves no bytes"
	}
	return ""
}

func latency(s *result.Spec) string {
	if !s.Latency {
		return "needs -t1"
	}
	return ""
}

// intervals: the spread of one is unknown. Of a run until Ctrl-C nobody knows
// how many it will have.
func intervals(s *result.Spec) string {
	if s.RuntimeNS > 0 && s.RuntimeNS < 2*s.IntervalNS {
		return "needs two intervals: a longer -r, or a shorter --interval"
	}
	return ""
}

func ceiling(s *result.Spec) string {
	switch {
	case !s.NeedsTarget():
		return "needs reads: the result of -N1 is the ceiling itself"
	case s.Engine != result.EngineURing:
		return "needs io_uring: " + string(s.Engine) + " has no no-op"
	case !s.Ceiling:
		return "needs the ceiling: leave out --no-ceiling"
	}
	return ""
}

// Where it is.

func ofWindow(f func(*result.Summary) float64) func(*result.Result) (float64, string) {
	return func(r *result.Result) (float64, string) {
		if r.Summary.WindowNS <= 0 {
			return 0, notMeasured
		}
		return f(&r.Summary), ""
	}
}

func ofSpread(f func(*result.Summary) float64) func(*result.Result) (float64, string) {
	return func(r *result.Result) (float64, string) {
		if r.Summary.IOPSStdDev == nil || r.Summary.IOPSMean <= 0 {
			return 0, notMeasured + ", for want of two whole intervals"
		}
		return f(&r.Summary), ""
	}
}

func ofSamples(f func(*result.Latency) float64) func(*result.Result) (float64, string) {
	return func(r *result.Result) (float64, string) {
		if r.Latency == nil || r.Latency.Samples == 0 {
			return 0, notMeasured
		}
		return f(r.Latency), ""
	}
}

// ofAll is ofSamples for what samples above the range would change.
func ofAll(f func(*result.Latency) float64) func(*result.Result) (float64, string) {
	known := ofSamples(f)
	return func(r *result.Result) (float64, string) {
		if r.Latency != nil && r.Latency.OverRange > 0 {
			return 0, fmt.Sprintf("is not known, with %d latencies above the histogram's range", r.Latency.OverRange)
		}
		return known(r)
	}
}

func ofCeiling(f func(*result.Ceiling) *float64) func(*result.Result) (float64, string) {
	return func(r *result.Result) (float64, string) {
		if r.Ceiling == nil {
			return 0, notMeasured
		}
		if v := f(r.Ceiling); v != nil {
			return *v, ""
		}
		if r.Ceiling.Reason == "" {
			return 0, notMeasured
		}
		return 0, notMeasured + " (" + r.Ceiling.Reason + ")"
	}
}

func perCall(r *result.Result) (float64, string) {
	if r.Summary.Total.Calls == 0 {
		return 0, notMeasured + ", since no calls were made"
	}
	return r.Summary.CompletedPerCall, ""
}

// failed are all I/Os that failed, before and after the window as well.
func failed(r *result.Result) (float64, string) {
	return float64(max(counted(r, func(*result.ErrorCount) bool { return true }), r.Summary.Total.Failed)), ""
}

// short are those of failed that came back with fewer bytes than asked for.
func short(r *result.Result) (float64, string) {
	n := counted(r, func(e *result.ErrorCount) bool { return e.Errno == 0 && e.NVMe == 0 })
	return float64(max(n, r.Summary.Total.Short)), ""
}

func counted(r *result.Result, is func(*result.ErrorCount) bool) (n uint64) {
	for i := range r.Errors {
		if is(&r.Errors[i]) {
			n += r.Errors[i].Count
		}
	}
	return n
}

// percentile is the metric pNN.
func percentile(name string, p float64) metric {
	return metric{name: name, kind: duration, needs: latency, value: func(r *result.Result) (float64, string) {
		ns, ok, err := stats.Percentile(r.Histogram, p)
		switch {
		case err != nil:
			return math.NaN(), "is not known: " + err.Error()
		case ok:
			return float64(ns), ""
		case r.Histogram != nil && r.Histogram.Over > 0:
			return 0, "is above the histogram's range"
		}
		return 0, notMeasured
	}}
}

const checkPrefix = "check:"

// check is the metric check:CODE. Which of the checks a run makes is known at
// its end only.
func check(code string) metric {
	return metric{name: checkPrefix + code, kind: state, needs: nothing, state: func(r *result.Result) (result.CheckState, string) {
		var codes []string
		for i := range r.Checks {
			if r.Checks[i].Code == code {
				return r.Checks[i].State, ""
			}
			codes = append(codes, r.Checks[i].Code)
		}
		return "", "was not made (this run has " + strings.Join(codes, ", ") + ")"
	}}
}
