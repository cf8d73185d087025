//go:build cgo

package cring

// #include "ringpeak.h"
import "C"

import (
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// submitter is one C worker. Its views point into C memory.
type submitter struct {
	worker   *C.struct_rp_worker
	tid      int
	granted  result.Granted
	block    uint64 // bytes per I/O; 0 for NOP
	counters *C.struct_rp_counters
	tallies  []C.struct_rp_tally // per file; kept up by C only with several
	errors   []C.struct_rp_error
	window   *C.struct_rp_window
	counts   []C.uint64_t // histogram, or nil
}

func newSubmitter(c engine.Config, w *C.struct_rp_worker, r *C.struct_rp_report, dropped []string) *submitter {
	s := &submitter{
		worker:   w,
		tid:      unix.Gettid(),
		granted:  granted(c, r, dropped),
		counters: C.rp_counters(w),
		tallies:  view(C.rp_tallies(w), max(len(c.Files), 1)),
		errors:   view(C.rp_errors(w), C.RP_ERRORS),
		window:   C.rp_window(w),
		counts:   view(C.rp_histogram(w), C.RP_HIST_COUNTS),
	}
	if c.Spec.NeedsTarget() {
		s.block = uint64(c.Spec.BlockSize)
	}
	return s
}

func granted(c engine.Config, r *C.struct_rp_report, dropped []string) result.Granted {
	s := c.Spec
	g := result.Granted{
		SetupFlags:    flagNames(uint32(r.setup_flags)),
		Dropped:       dropped,
		SQEntries:     int(r.sq_entries),
		CQEntries:     int(r.cq_entries),
		Features:      uint64(r.features),
		Polled:        c.Polled,
		FixedBuffers:  r.buffer_regions > 0,
		FixedFiles:    s.FixedFiles && s.NeedsTarget() && s.Engine == result.EngineURing,
		RingFD:        r.fixed_ring != 0,
		BufferBytes:   int64(r.buffer_bytes),
		BufferRegions: int(r.buffer_regions),
	}
	switch {
	case s.Engine == result.EngineAIO:
		g.Opcode = "PREAD"
	case s.Engine == result.EnginePreadv2:
		g.Opcode = "preadv2"
	default:
		g.Opcode = map[C.uint32_t]string{0: "NOP", 1: "READV", 4: "READ_FIXED", 22: "READ", 46: "URING_CMD"}[r.opcode]
	}
	return g
}

// Batch is the hot crossing: one cgo call for a whole sequence of rounds.
func (s *submitter) Batch(rounds int) (bool, error) {
	if rounds == 0 {
		rounds = autoRounds
	}
	rc := C.rp_batch(s.worker, C.uint32_t(rounds))
	if rc < 0 {
		return false, checkErr(rc, s.worker)
	}
	return rc == 1, nil
}

// Drain implements engine.Submitter.
func (s *submitter) Drain(timeout time.Duration) error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return err
	}
	rc := C.rp_drain(s.worker, C.uint64_t(now.Nano()+int64(timeout)))
	if syscall.Errno(-rc) == syscall.ETIMEDOUT {
		return engine.ErrStuck
	}
	return checkErr(rc, s.worker)
}

// Close implements engine.Submitter.
func (s *submitter) Close() {
	C.rp_close(s.worker)
	s.worker = nil
}

// SetPhase implements engine.Submitter.
func (s *submitter) SetPhase(p engine.Phase) { C.rp_set_phase(s.worker, C.uint32_t(p)) }

// Kick sends SIGURG, which Go's runtime handles and ignores, to the
// submitter's thread: a wait inside io_uring_enter(2) or io_getevents(2), also
// a polled one that knows no time-outs, then ends with EINTR. A preadv2(2) is
// restarted by the kernel instead (SA_RESTART): one that hangs is found by the
// drain's deadline only.
func (s *submitter) Kick() { _ = unix.Tgkill(unix.Getpid(), s.tid, unix.SIGURG) }

// Granted implements engine.Submitter.
func (s *submitter) Granted() result.Granted { return s.granted }

// Overflows implements engine.Submitter.
func (s *submitter) Overflows() uint64 { return load(&s.counters.overflow) }

// Failures implements engine.Submitter.
func (s *submitter) Failures() []engine.Failure {
	var list []engine.Failure
	for i := range s.errors {
		e := &s.errors[i]
		if n := load(&e.count); n > 0 {
			f := engine.Failure{File: int(e.file), Count: n}
			if code := int32(e.code); code < 0 {
				f.Errno = syscall.Errno(-code)
			} else {
				f.Status = uint32(code)
			}
			list = append(list, f)
		}
	}
	return list
}

// Window copies the latency histogram out of C's memory.
func (s *submitter) Window() *engine.Window {
	if s.counts == nil || s.window.begin_ns == 0 || s.window.end_ns <= s.window.begin_ns {
		return nil
	}
	w := &engine.Window{
		Length:    time.Duration(s.window.end_ns - s.window.begin_ns),
		Clock:     time.Duration(s.window.clock_ns),
		Completed: uint64(s.window.completed),
		InFlight:  float64(s.window.area) / float64(s.window.end_ns-s.window.begin_ns),
		Histogram: result.Histogram{
			LowestNS:  1,
			HighestNS: C.RP_HIST_MAX_NS - 1,
			Digits:    2,
			Counts:    make([]int64, len(s.counts)),
			Over:      uint64(s.window.over),
		},
	}
	for i, n := range s.counts {
		w.Histogram.Counts[i] = int64(n)
	}
	runtime.KeepAlive(s)
	return w
}
