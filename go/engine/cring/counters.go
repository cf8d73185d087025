//go:build cgo

package cring

// #include "ringpeak.h"
import "C"

import (
	"sync/atomic"
	"time"
	"unsafe"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

func load(p *C.uint64_t) uint64 { return atomic.LoadUint64((*uint64)(unsafe.Pointer(p))) }

const (
	// readsBetweenNaps take a few microseconds, as long as a reap with some
	// hundred failures.
	readsBetweenNaps = 100
	// readTries is when a reading is taken as it is.
	readTries = 100 * readsBetweenNaps
	// fileReadTries is the same where many files make a reading long, and the
	// files are what counts.
	fileReadTries = 20
)

// Counters reads the counters of a running submitter. A reading that the
// totals of a reap fell into is repeated. A submitter that was descheduled in
// the midst of them, perhaps by this very reader, is given time to go on.
func (s *submitter) Counters() result.Counters {
	for try := 1; ; try++ {
		seq := load(&s.counters.seq)
		r := s.read()
		if seq%2 == 0 && seq == load(&s.counters.seq) || try == readTries {
			return r
		}
		if try%readsBetweenNaps == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

func (s *submitter) read() result.Counters {
	c := s.counters
	return result.Counters{
		Completed: load(&c.completed),
		Failed:    load(&c.failed),
		Short:     load(&c.shorts),
		Bytes:     load(&c.bytes),
		Calls:     load(&c.calls),
		Submitted: load(&c.submitted),
	}
}

// Read implements engine.Submitter. One file has all there is. Of several,
// each count of each file only grows, and the totals are made of them: so they
// add up whether or not the submitter went on meanwhile.
func (s *submitter) Read(files []engine.FileCounters) result.Counters {
	if len(files) == 1 {
		c := s.Counters()
		c.Bytes = c.Completed * s.block
		files[0] = engine.FileCounters{Completed: c.Completed, Failed: c.Failed, InFlight: uint32(c.InFlight())}
		return c
	}
	for try := 1; ; try++ {
		seq := load(&s.counters.seq)
		c := s.readFiles(files)
		if seq%2 == 0 && seq == load(&s.counters.seq) || try == fileReadTries {
			return c
		}
	}
}

func (s *submitter) readFiles(files []engine.FileCounters) result.Counters {
	c := s.read()
	c.Completed, c.Failed = 0, 0
	for i := range files {
		t := &s.tallies[i]
		taken := load(&t.taken) // first: what comes back meanwhile is not in flight
		f := engine.FileCounters{Completed: load(&t.completed), Failed: load(&t.failed)}
		if back := f.Completed + f.Failed; taken > back {
			f.InFlight = uint32(taken - back)
		}
		c.Completed += f.Completed
		c.Failed += f.Failed
		files[i] = f
	}
	c.Bytes = c.Completed * s.block
	c.Submitted = max(c.Submitted, c.Completed+c.Failed) // it was read before them
	return c
}

// Split implements engine.Submitter.
func (s *submitter) Split() engine.Split {
	var c C.struct_rp_split
	C.rp_get_split(s.worker, &c)
	return engine.Split{
		Rounds:  uint64(c.rounds),
		Waiting: uint64(c.waiting),
		IOs:     uint64(c.ios),
		Prepare: time.Duration(c.prepare_ns),
		Enter:   time.Duration(c.enter_ns),
		Reap:    time.Duration(c.reap_ns),
		ReadPS:  uint64(c.read_ps),
	}
}
