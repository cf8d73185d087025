package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// spin takes exactly two instructions per turn, plus a few.
//
//go:noescape
func spin(turns uint64)

// calibrate prints how many nanoseconds of the guest's clock one instruction takes: 1 where QEMU counts instructions.
func calibrate(turns string) error {
	n, err := strconv.ParseUint(turns, 10, 40)
	if err != nil || n == 0 {
		return fmt.Errorf("spin: not a number of turns: %s", turns)
	}
	// Interrupts, and the runtime's own signals, come between: the shortest of several had none.
	least := time.Duration(math.MaxInt64)
	for range 20 {
		start := time.Now()
		spin(n)
		least = min(least, time.Since(start))
	}
	fmt.Printf("%.6f\n", float64(least)/float64(2*n))
	return nil
}
