//go:build cgo

package cring

// #include "ringpeak.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// submitter is one C worker. Its views point into C memory.
type submitter struct {
	worker   *C.struct_rp_worker
	tid      int
	granted  result.Granted
	counters *C.struct_rp_counters
	inFlight []C.uint32_t // per file; kept up by C only with several
	errors   []C.struct_rp_error
	window   *C.struct_rp_window
	counts   []C.uint64_t // histogram, or nil
}

func newSubmitter(c engine.Config, w *C.struct_rp_worker, r *C.struct_rp_report, dropped []string) *submitter {
	return &submitter{
		worker:   w,
		tid:      unix.Gettid(),
		granted:  granted(c, r, dropped),
		counters: C.rp_counters(w),
		inFlight: view(C.rp_in_flight(w), max(len(c.Files), 1)),
		errors:   view(C.rp_errors(w), C.RP_ERRORS),
		window:   C.rp_window(w),
		counts:   view(C.rp_histogram(w), C.RP_HIST_COUNTS),
	}
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

func load(p *C.uint64_t) uint64 { return atomic.LoadUint64((*uint64)(unsafe.Pointer(p))) }

// Counters reads the counters of a running submitter. A reading that the
// totals of a reap fell into is repeated. A submitter that was descheduled in
// the midst of them, perhaps by this very reader, is given time to go on.
func (s *submitter) Counters() result.Counters {
	for try := 1; ; try++ {
		seq := load(&s.counters.seq)
		r := s.read()
		if seq%2 == 0 && seq == load(&s.counters.seq) || try == 100*readsBetweenNaps {
			return r
		}
		if try%readsBetweenNaps == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// readsBetweenNaps take a few microseconds, as long as a reap with some
// hundred failures.
const readsBetweenNaps = 100

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

// Overflows implements engine.Submitter.
func (s *submitter) Overflows() uint64 { return load(&s.counters.overflow) }

// InFlight implements engine.Submitter.
func (s *submitter) InFlight(dst []uint32) {
	if len(dst) == 1 {
		dst[0] = uint32(s.Counters().InFlight())
		return
	}
	for i := range dst {
		dst[i] = atomic.LoadUint32((*uint32)(unsafe.Pointer(&s.inFlight[i])))
	}
}

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
