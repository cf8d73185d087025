package report

import (
	"fmt"
	"math"

	"ringpeak/go/result"
)

// window says how long was measured and what the spread is taken over.
func window(r *result.Result) []string {
	partial := 0
	for i := range r.Intervals {
		partial += bit(r.Intervals[i].Partial)
	}
	length := fmt.Sprintf("%.2fs", float64(r.Summary.WindowNS)/1e9)
	if n := len(r.Repeats); n > 0 {
		length += " in " + plural(n, "repeat")
	}
	warmup := ""
	if r.Spec.WarmupNS > 0 {
		warmup = "after " + duration(r.Spec.WarmupNS) + " of warm-up"
	}
	return []string{length, plural(r.Summary.Intervals, "whole interval"), some(partial, "partial"), warmup}
}

// iops writes the rate, its spread over the intervals and over the repeats,
// where its median lies, and what it did over time. What takes more intervals
// than there are is n/a.
func (t *Text) iops(r *result.Result) {
	s := &r.Summary
	write := scaled(max(s.IOPSMean, s.IOPSMax))
	t.out.items("IOPS", "mean="+write(s.IOPSMean), "median="+write(s.IOPSMedian), "min="+write(s.IOPSMin),
		"max="+write(s.IOPSMax), "stddev="+deviation(s.IOPSStdDev, s.IOPSMean, write))
	if n := s.Repeats; n != nil {
		t.out.items("repeats", fmt.Sprintf("%d complete", n.Complete), "median="+write(n.IOPSMedian), "min="+write(n.IOPSMin),
			"max="+write(n.IOPSMax), "stddev="+deviation(n.IOPSStdDev, s.IOPSMean, write))
	}
	t.median(s, write)
	t.trend(s.Trend)
	t.steady(s.Steady, write)
}

func deviation(d result.OptFloat, of float64, write func(float64) string) string {
	switch {
	case d == nil:
		return "n/a"
	case of > 0:
		return fmt.Sprintf("%s (%.2f%%)", write(*d), 100**d/of)
	}
	return write(*d)
}

func (t *Text) median(s *result.Summary, write func(float64) string) {
	m := s.IOPSMedian95
	switch {
	case m != nil:
		of := plural(m.Units, "interval")
		switch {
		case m.Of == "repeats":
			of = plural(m.Units, "repeat")
		case m.PerUnit > 1:
			of = fmt.Sprintf("%d batches of %d intervals", m.Units, m.PerUnit)
		}
		t.out.items("median", fmt.Sprintf("95%% interval %s to %s", write(m.Low), write(m.High)), "from "+of)
	case s.IOPSMedian95Why != "":
		t.out.sentence("median", "95% interval n/a: "+s.IOPSMedian95Why)
	}
}

func (t *Text) trend(tr *result.Trend) {
	if tr == nil {
		return // the median's line says how many are needed, and that is more
	}
	drift := "drift=" + percent(tr.DriftPercent)
	if e := tr.DriftStdErrPercent; e != nil {
		drift += fmt.Sprintf(" (standard error %.2f%%)", *e)
	}
	lag := "lag-1 correlation=n/a"
	if tr.Lag1 != nil {
		lag = fmt.Sprintf("lag-1 correlation=%.2f", *tr.Lag1)
	}
	t.out.items("over time", drift+" over the window", lag)
}

func (t *Text) steady(s *result.Steady, write func(float64) string) {
	if s == nil {
		return
	}
	state := "no"
	if s.Attained {
		state = "yes"
	}
	t.out.items("steady", state, fmt.Sprintf("mean=%s in the last %d rounds of %s", write(s.IOPSMean), s.Rounds, duration(s.RoundNS)),
		fmt.Sprintf("range=%.2f%% (limit %g%%)", s.RangePercent, s.RangeLimit),
		fmt.Sprintf("slope=%s (limit %g%%)", percent(s.SlopePercent), s.SlopeLimit))
}

// percent has a sign, unless it is rounded to zero.
func percent(v float64) string {
	if math.Abs(v) < 0.005 {
		return "0.00%"
	}
	return fmt.Sprintf("%+.2f%%", v)
}
