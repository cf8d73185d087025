package report

import (
	"fmt"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// stamps is whether latency is recorded, and how.
func stamps(s *result.Spec) string {
	if s.LatencyEach {
		return "latency=each"
	}
	return fmt.Sprintf("latency=%d", bit(s.Latency))
}

// clock says what latency is taken from, where it is taken.
func (t *Text) clock(r *result.Result) {
	if c := &r.Clock; r.Spec.Latency || r.Spec.Clock != result.ClockAuto {
		rate := ""
		if c.TSCHz != nil {
			rate = fmt.Sprintf("%.3f MHz by calibration against CLOCK_MONOTONIC", *c.TSCHz/1e6)
		}
		t.out.items("clock", string(c.Source), rate, prefixed("not the TSC because ", printable(c.WhyNotTSC)))
	}
}

// timeSplit writes where the time of an I/O went.
func (t *Text) timeSplit(s *result.TimeSplit) {
	if s == nil {
		return
	}
	waiting := ""
	if s.WaitingRounds > 0 && s.SampledRounds > 0 {
		waiting = fmt.Sprintf(" (%.0f%% of the rounds wait)", 100*float64(s.WaitingRounds)/float64(s.SampledRounds))
	}
	t.out.items("time/IO", "prepare="+perIO(s.PrepareNSPerIO), "enter="+perIO(s.EnterNSPerIO)+waiting,
		"reap="+perIO(s.ReapNSPerIO), "1 round in 256 sampled ("+few(s.SampledRounds)+")")
}

// perIO writes nanoseconds with three digits or more.
func perIO(ns float64) string {
	switch {
	case ns < 10:
		return fmt.Sprintf("%.1fns", ns)
	case ns < 100e3:
		return fmt.Sprintf("%.0fns", ns)
	}
	return fmt.Sprintf("%.0fus", ns/1e3)
}

// perTarget writes a table whose last row is the sum of the others.
func (t *Text) perTarget(r *result.Result) {
	if len(r.PerTarget) < 2 || len(r.PerTarget) != len(r.Targets) {
		return
	}
	var sum result.TargetCounters
	for _, c := range r.PerTarget {
		sum = sum.Add(c)
	}
	rates := func(c result.TargetCounters) stats.Rates {
		return stats.CounterRates(result.Counters{Completed: c.Completed, Bytes: c.Bytes}, r.Summary.WindowNS)
	}
	write := scaled(rates(sum).IOPS)
	const row = "%-9s %14s %11s %14s %8s"
	t.out.linef("")
	t.out.linef(row+"  path", "target", "IOPS", "BW", "completed", "failed")
	line := func(name string, c result.TargetCounters, path string) {
		x := rates(c)
		t.out.linef(row+"%s", name, write(x.IOPS), appendBW(nil, x.BytesPerSecond), fmt.Sprint(c.Completed), fmt.Sprint(c.Failed), path)
	}
	for i, c := range r.PerTarget {
		line(fmt.Sprint(i), c, "  "+printable(r.Targets[i].Path))
	}
	line("all", sum, "")
}

// overRange is the samples above the histogram's range.
func overRange(r *result.Result) string {
	if r.Latency == nil || r.Latency.OverRange == 0 {
		return ""
	}
	beyond := "range"
	if r.Histogram != nil {
		beyond = fmt.Sprintf("%.1fs", float64(r.Histogram.HighestNS)/1e9)
	}
	return fmt.Sprintf(">%s: %s", beyond, plural(int(r.Latency.OverRange), "sample"))
}

// few is a number of rounds, with a word of warning when a single one of them
// that was held up makes a difference.
func few(rounds uint64) string {
	if rounds < 30 {
		return fmt.Sprintf("only %d", rounds)
	}
	return fmt.Sprint(rounds)
}
