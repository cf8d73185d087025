package compare

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

const (
	// confidence of the intervals, and 1 − the level of the test.
	confidence = 0.95
	// minTested and minMedian are how many values a side needs for the test to
	// be able to find anything, and for an interval of its median.
	minTested, minMedian = 4, 6
)

// wanted are the metrics that some sample has. Bandwidth says the same as the
// rate unless blocks differ in size, so it is only there then, or when a
// condition is on it.
func wanted(rows []*row, conditions []Condition) []metric.Metric {
	return slices.DeleteFunc(metric.All(), func(m metric.Metric) bool {
		asked := slices.ContainsFunc(conditions, func(c Condition) bool { return c.metric == m.Name })
		if m.Name == "bandwidth" && !asked && !slices.ContainsFunc(rows, (*row).sizesDiffer) {
			return true
		}
		return !slices.ContainsFunc(rows, func(r *row) bool {
			return r.whole() && len(r.measured(0, &m))+len(r.measured(1, &m)) > 0
		})
	})
}

func (r *row) sizesDiffer() bool {
	const path = "spec.block_size_bytes"
	return r.whole() && !slices.Equal(values(r.sides[0], path), values(r.sides[1], path))
}

// measured are the values of a metric on one side.
func (r *row) measured(side int, m *metric.Metric) (list []float64) {
	for i := range r.sides[side] {
		list = append(list, r.sides[side][i].measured(m)...)
	}
	return list
}

func (r *run) measured(m *metric.Metric) (list []float64) {
	for i := range r.samples {
		if v, ok := m.Value(&r.samples[i]); ok {
			list = append(list, v)
		}
	}
	return list
}

func (r *row) compare(metrics []metric.Metric) result.ComparedRow {
	c := result.ComparedRow{Name: r.name, Settings: r.settings, Old: r.samples(0), New: r.samples(1)}
	if !r.whole() {
		return c
	}
	for _, m := range metrics {
		old, new := r.measured(0, &m), r.measured(1, &m)
		if len(old)+len(new) == 0 {
			continue
		}
		f := result.ComparedFigure{
			Metric: m.Name, Title: m.Title, Unit: string(m.Unit), Better: m.Better(),
			Old: medianOf(old), New: medianOf(new), Verdict: result.VerdictFew,
		}
		switch e := stats.Independent(old, new); {
		case e.N == 0:
		case len(old) < c.Old || len(new) < c.New:
			change := percent(e.Log)
			f.Change, f.Verdict = &change, result.VerdictSome
		default:
			judge(&f, m.Higher, e)
		}
		c.Figures = append(c.Figures, f)
	}
	return c
}

// medianOf is the sample median with the interval of its order statistics.
func medianOf(values []float64) result.MedianOf {
	m := result.MedianOf{Values: values}
	if len(values) == 0 {
		return m
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), confidence)
	m.Median = &s.Center
	if !math.IsInf(s.Lo, 0) && !math.IsInf(s.Hi, 0) {
		m.Low, m.High = &s.Lo, &s.Hi
	}
	return m
}

// judge fills in the change.
func judge(f *result.ComparedFigure, higher bool, e stats.Effect) {
	change := percent(e.Log)
	f.Change, f.P = &change, &e.P
	if !e.Known {
		return
	}
	low, high := percent(e.Low), percent(e.High)
	f.ChangeLow, f.ChangeHigh = &low, &high
	switch {
	case e.P > 1-confidence || low <= 0 && high >= 0:
		f.Verdict = result.VerdictSame
	case (e.Log > 0) == higher:
		f.Verdict = result.VerdictBetter
	default:
		f.Verdict = result.VerdictWorse
	}
}

// percent is a logarithm of a ratio as a change; there is no infinite one, which
// no document could hold.
func percent(log float64) float64 { return min(100*math.Expm1(log), math.MaxFloat64) }

// geomeans are those of the metrics that two rows or more have, in all runs.
func geomeans(rows []result.ComparedRow) []result.Geomean {
	var list []result.Geomean
	for _, name := range metric.Names() {
		sum, n := 0.0, 0
		for _, r := range rows {
			for _, f := range r.Figures {
				if f.Metric == name && f.Change != nil && f.Verdict != result.VerdictSome {
					sum += math.Log1p(*f.Change / 100)
					n++
				}
			}
		}
		if n > 1 {
			list = append(list, result.Geomean{Metric: name, Change: percent(sum / float64(n)), Rows: n})
		}
	}
	return list
}
