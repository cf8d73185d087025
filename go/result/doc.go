// Package result holds the values that the stages of a run hand to each
// other, and the versioned document in which they end: Spec (what was asked),
// Target (what it was asked of), Placement (where submitters ran), Granted
// (what the kernel gave), Counters, Interval and Histogram (what was
// measured), Check (whether to believe it), and Result (all of it).
//
// It holds data and the invariants of that data. It does not parse, open,
// measure, compute statistics or render. It imports nothing of ours.
package result
