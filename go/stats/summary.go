package stats

import (
	"math"
	"slices"

	"ringpeak/go/result"
)

// Summarise puts the intervals of one run, in their order, into a summary.
//
// The total and the mean cover the whole window, partial intervals included:
// mean = completed / window, where the window reaches from the start of the
// first interval to the end of the last.
//
// Median, minimum, maximum and standard deviation are taken over the rates of
// the whole intervals, since the rate of a slice of a few milliseconds is
// mostly noise. Summary.Intervals says how many those are. A run that was too
// short for a single whole interval has Intervals = 0 and takes its spread
// over the partial ones, so that it still yields a number; with one partial
// interval mean = median = min = max. Intervals without length have no rate
// and take no part in the spread.
//
// The intervals of several repeats are pooled: the window is the sum of the
// windows, and the mean all completions over it. The interval of the median
// and the spread over repeats are SpreadOfRepeats' then.
func Summarise(intervals []result.Interval) result.Summary {
	var s result.Summary
	for i := range intervals {
		s.Total = s.Total.Add(intervals[i].Total)
	}
	s.WindowNS = windowNS(intervals)

	r := CounterRates(s.Total, s.WindowNS)
	s.IOPSMean = r.IOPS
	s.BytesPerSecond = r.BytesPerSecond
	s.SubmittedPerCall = r.SubmittedPerCall
	s.CompletedPerCall = r.CompletedPerCall

	whole := newSeries(intervals)
	rates := whole.rates
	s.Intervals = len(rates)
	s.Trend = whole.trend(s.WindowNS)
	if !repeated(intervals) {
		s.IOPSMedian95, s.IOPSMedian95Why = whole.medianOfSeries()
	}
	s.IOPSStdDev = sampleStdDev(rates)
	if len(rates) == 0 {
		rates = partialRates(intervals)
	}
	if len(rates) > 0 {
		slices.Sort(rates)
		s.IOPSMin = rates[0]
		s.IOPSMax = rates[len(rates)-1]
		s.IOPSMedian = medianOfSorted(rates)
	}
	return s
}

// SumSubmitters adds up the intervals by submitter. Their sum is the sum of
// the intervals' totals.
func SumSubmitters(intervals []result.Interval) []result.Counters {
	n := 0
	for i := range intervals {
		n = max(n, len(intervals[i].Submitters))
	}
	sums := make([]result.Counters, n)
	for i := range intervals {
		for j, c := range intervals[i].Submitters {
			sums[j] = sums[j].Add(c)
		}
	}
	return sums
}

// SumTargets adds up the intervals by target, of which there are so many.
func SumTargets(intervals []result.Interval, targets int) []result.TargetCounters {
	sums := make([]result.TargetCounters, targets)
	for i := range intervals {
		for j, c := range intervals[i].Targets {
			sums[j] = sums[j].Add(c)
		}
	}
	return sums
}

// windowNS is the time from the start of the first interval to the end of the
// last, in nanoseconds; the sum of that over repeats.
func windowNS(intervals []result.Interval) int64 {
	var sum int64
	for first := 0; first < len(intervals); {
		last := first
		for last+1 < len(intervals) && intervals[last+1].Repeat == intervals[first].Repeat {
			last++
		}
		sum += max(0, intervals[last].StartNS+intervals[last].LengthNS-intervals[first].StartNS)
		first = last + 1
	}
	return sum
}

// repeated says whether the intervals are of several repeats.
func repeated(intervals []result.Interval) bool {
	return len(intervals) > 0 && intervals[0].Repeat != intervals[len(intervals)-1].Repeat
}

// partialRates are the IOPS of the intervals that are partial.
func partialRates(intervals []result.Interval) []float64 {
	var rates []float64
	for i := range intervals {
		iv := &intervals[i]
		if iv.Partial && iv.LengthNS > 0 {
			rates = append(rates, IntervalRates(iv).IOPS)
		}
	}
	return rates
}

// medianOfSorted is the middle value, or the mean of the two middle ones.
func medianOfSorted(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// sampleStdDev is sqrt(Σ(x − mean)² / (n − 1)); nil for fewer than two values.
func sampleStdDev(values []float64) result.OptFloat {
	if len(values) < 2 {
		return nil
	}
	mean := meanOf(values)
	var squares float64
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	d := math.Sqrt(squares / float64(len(values)-1))
	return &d
}
