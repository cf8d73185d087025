package engine

import "time"

// Clock is what stamps are taken from. The zero value is CLOCK_MONOTONIC, any
// other one the time-stamp counter, which Engine.Calibrate found to run so.
type Clock struct {
	Mult uint64 // nanoseconds per tick, times 2^32
	Hz   uint64 // ticks per second
}

// FileCounters are what became of the I/O to one file, since it was opened.
type FileCounters struct {
	Completed, Failed uint64
	InFlight          uint32 // now; never more than there were
}

// Split is where the time of some rounds of the measured window went, chosen
// at random. What reading the clock takes is not in it.
type Split struct {
	Rounds  uint64 // taken apart
	Waiting uint64 // those of them that asked the kernel to wait for completions
	IOs     uint64 // completions that they reaped, failed ones included

	Prepare, Enter, Reap time.Duration // sums; Enter is the system calls

	ReadPS uint64 // picoseconds that reading the clock once takes
}
