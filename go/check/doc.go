// Package check says whether a number is real: it turns what was gathered
// before and after a window, and the Result, into result.Check values, each a
// pass, a warning, a failure or unknown, in one sentence with the figures and
// a remedy. Unknown is never a pass. The table of codes is in README.md,
// section "Checks".
//
// The checks are pure functions of Evidence. What they need is read by Look,
// at the two ends of a run, and by Gather, after it; nothing is read while a
// window is open. It prints nothing and writes nothing. Of ours it may import
// result, sysfs, device and stats.
package check
