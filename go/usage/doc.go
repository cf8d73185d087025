// Package usage takes what the submitters' threads and the machine have spent
// between two readings, says whether the CPU or the device was the limit, and
// holds it against what a run of its own would have had: no steal, no quota,
// nobody else on the CPU.
//
// All reading is done from another thread, before and after the window: what
// the submitters do is not touched. Each reading carries its own time, and
// figures are divided by the time between a thread's own two readings, not by
// the window's length.
//
// It does not start or stop anything, and does not count I/O. It may import
// result and sysfs only.
package usage
