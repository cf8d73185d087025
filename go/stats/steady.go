package stats

import (
	"math"

	"ringpeak/go/result"
)

// The criteria of SNIA's Solid State Storage Performance Test Specification
// (definition of "Steady State"): over a measurement window of five rounds, highest − lowest within 20 % of the average, and the least-squares
// line's highest − lowest within 10 % of it.
const (
	SteadyRounds = 5

	steadyRange = 20.0
	steadySlope = 10.0
)

// SteadyState holds the last five rounds of a window against SNIA's criteria.
// A round here is perRound whole intervals, whatever the length of the run,
// and its rate is their completions over their time; it is not the minute of
// the specification unless it was made one. Not ok with fewer than five
// rounds. It does not allocate.
func SteadyState(intervals []result.Interval, perRound int) (s result.Steady, ok bool) {
	var rates [SteadyRounds]float64
	at := len(intervals)
	for i := SteadyRounds - 1; i >= 0; i-- {
		var done uint64
		var ns int64
		for taken := 0; taken < perRound; {
			if at--; at < 0 {
				return result.Steady{}, false
			}
			if iv := &intervals[at]; !iv.Partial && iv.LengthNS > 0 {
				taken++
				done += iv.Total.Completed
				ns += iv.LengthNS
			}
		}
		rates[i] = float64(done) / (float64(ns) / 1e9)
		s.LengthNS += ns
	}
	s.StartNS = intervals[at].StartNS
	s.Rounds, s.RangeLimit, s.SlopeLimit = SteadyRounds, steadyRange, steadySlope
	judge(&s, &rates)
	return s, true
}

// judge fills in the figures. For rounds at x = 0 … 4 the slope of the line is
// Σ (x − 2) y / Σ (x − 2)², and its excursion four times that.
func judge(s *result.Steady, rates *[SteadyRounds]float64) {
	const middle = (SteadyRounds - 1) / 2.0
	low, high := rates[0], rates[0]
	var sum, both, spread float64
	for i, v := range rates {
		x := float64(i) - middle
		low, high = min(low, v), max(high, v)
		sum += v
		both += x * v
		spread += x * x
	}
	s.IOPSMean = sum / SteadyRounds
	if s.IOPSMean <= 0 {
		return // nothing completed: not steady, whatever it is
	}
	s.RangePercent = 100 * (high - low) / s.IOPSMean
	s.SlopePercent = 100 * both / spread * (SteadyRounds - 1) / s.IOPSMean
	s.Attained = s.RangePercent <= steadyRange && math.Abs(s.SlopePercent) <= steadySlope
}
