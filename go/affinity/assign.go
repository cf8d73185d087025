package affinity

// Assign gives each of threads the indexes of the targets it reads. With at
// least as many threads as targets, each thread has one: the threads are dealt
// in consecutive runs of equal length, and the first targets get one thread
// more when that does not come out even (5 threads, 2 targets: 0 0 0 1 1).
// With more targets than threads they are dealt round-robin. This is the map
// of t/io_uring, without its limit of 16 targets to a thread.
//
// Without targets (NOP) each thread has none; without threads it is nil.
func Assign(threads, targets int) [][]int {
	if threads <= 0 {
		return nil
	}
	out := make([][]int, threads)
	if targets <= 0 {
		return out
	}
	if targets > threads {
		for t := range targets {
			out[t%threads] = append(out[t%threads], t)
		}
		return out
	}
	each, more := threads/targets, threads%targets
	next := 0
	for t := range targets {
		run := each
		if t < more {
			run++
		}
		for range run {
			out[next] = []int{t}
			next++
		}
	}
	return out
}
