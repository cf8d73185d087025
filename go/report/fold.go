package report

import (
	"time"

	"ringpeak/go/result"
)

const (
	// A line covers at least that much of the run, so that short intervals do
	// not flood a terminal. All of them are in the document.
	lineNS = int64(100 * time.Millisecond)
	// repeatLinesNS is how long a repeat is to have lines for its intervals,
	// beside its own.
	repeatLinesNS = int64(10 * time.Second)
)

// group is intervals that follow each other, on their way to one line.
type group struct {
	total    result.Counters
	lengthNS int64
	n        int
	partial  bool
	warmup   bool
	repeat   int
	inFlight []uint32 // of the last one
}

func (g *group) add(iv *result.Interval) {
	g.total = g.total.Add(iv.Total)
	g.lengthNS += iv.LengthNS
	g.n++
	g.partial = g.partial || iv.Partial
	g.warmup, g.repeat, g.inFlight = iv.Warmup, iv.Repeat, iv.InFlight
}

// follows says whether an interval belongs to the same window.
func (g *group) follows(iv *result.Interval) bool {
	return g.n == 0 || g.warmup == iv.Warmup && g.repeat == iv.Repeat
}

// perLine is how many intervals make a line; 0: those of this one have none.
func perLine(s *result.Spec, iv *result.Interval) int {
	switch {
	case iv.Repeat > 0 && iv.Warmup && s.WarmupNS < repeatLinesNS,
		iv.Repeat > 0 && !iv.Warmup && s.RuntimeNS < repeatLinesNS:
		return 0
	case s.IntervalNS <= 0 || s.IntervalNS >= lineNS:
		return 1
	}
	return int((lineNS + s.IntervalNS - 1) / s.IntervalNS)
}
