// Package assert reads conditions on a result, such as iops>=5M, and holds a
// result against them.
//
//	METRIC OPERATOR VALUE     iops>=5M   p99 <= 100us   check:polled==pass
//
// One table, in metric.go, holds every metric: its unit, what a run must be
// like to have it, and where it is in the result. What a run cannot have is
// refused before it begins; what it does not have after all fails.
//
// It measures nothing and prints nothing. Of ours it may import result,
// spelling and stats.
package assert
