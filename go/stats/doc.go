// Package stats is the arithmetic between what was counted and what is
// reported: rates of an interval, the summary of a run, the sum per submitter,
// latency percentiles, Little's law as a check of the two against each other,
// and what the rates of the intervals say about the run: drift, correlation,
// where the median lies, and whether the state was steady; and of two things
// that were measured in pairs or apart: how far one is from the other, and how
// surely.
//
// It measures nothing, reads no clock, prints nothing and keeps no state:
// every function depends on its arguments alone. It never returns NaN or
// infinity, so whatever it returns can be written as JSON.
//
// Of ours it may import only result; besides the standard library, only
// hdrhistogram, whose bucket layout result.Histogram has, and for comparisons
// benchmath of golang.org/x/perf and the distributions below it.
package stats
