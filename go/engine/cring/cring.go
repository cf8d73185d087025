//go:build cgo

package cring

/*
#cgo CFLAGS: -I${SRCDIR}/../../../csrc
#cgo LDFLAGS: -L${SRCDIR}/../../../build/out/lib -lringpeak -luring
#include <stdlib.h>
#include "ringpeak.h"
*/
import "C"

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// Engine is the io_uring, AIO and preadv2 engine in C.
type Engine struct {
	setupFlags uint32 // granted, as Probe found
	dropped    []string
}

// Linked says which archive was linked.
func Linked() Info {
	return Info{CoreID: C.GoString(C.rp_core_id()), Liburing: liburingVersion}
}

// New checks that the C code that was linked is the code that this package
// was compiled against: Go's build cache does not see csrc/, so a plain
// `go build` can link an old archive.
func New() (*Engine, error) {
	if id := Linked().CoreID; id != coreID {
		return nil, result.Errorf(result.StatusSetup,
			"the C loop that was linked (%s) is not the one that Go was compiled for (%s): build with make", id, coreID)
	}
	c := C.rp_abi()
	linked := abi{
		uint32(c.clock), uint32(c.config), uint32(c.file), uint32(c.report),
		uint32(c.counters), uint32(c.error), uint32(c.tally), uint32(c.window), uint32(c.split),
	}
	if linked != goABI() {
		return nil, result.Errorf(result.StatusSetup,
			"the structs of the C loop differ in size from Go's (%v, %v): build with make", linked, goABI())
	}
	return &Engine{}, nil
}

func goABI() abi {
	return abi{
		C.sizeof_struct_rp_clock, C.sizeof_struct_rp_config, C.sizeof_struct_rp_file, C.sizeof_struct_rp_report,
		C.sizeof_struct_rp_counters, C.sizeof_struct_rp_error, C.sizeof_struct_rp_tally, C.sizeof_struct_rp_window,
		C.sizeof_struct_rp_split,
	}
}

// Probe implements engine.Engine.
func (e *Engine) Probe(spec *result.Spec, polled bool) error {
	e.setupFlags, e.dropped = 0, nil
	if spec.Engine != result.EngineURing {
		return nil
	}
	raiseMemlock()
	required, wanted := setupFlags(spec, polled)
	var granted, features C.uint32_t
	rc := C.rp_probe_setup(C.uint32_t(required), C.uint32_t(wanted), &granted, &features)
	if rc < 0 {
		return &engine.Error{Step: engine.StepSetup, Errno: syscall.Errno(-rc)}
	}
	e.setupFlags = uint32(granted)
	e.dropped = flagNames(wanted &^ e.setupFlags)
	return nil
}

// Calibrate implements engine.Engine.
func (e *Engine) Calibrate(length time.Duration) (engine.Clock, error) {
	var c C.struct_rp_clock
	if rc := C.rp_calibrate(C.uint64_t(length), &c); rc < 0 {
		return engine.Clock{}, &engine.Error{Step: engine.StepClock, Errno: syscall.Errno(-rc)}
	}
	return engine.Clock{Mult: uint64(c.mult), Hz: uint64(c.hz)}, nil
}

// raiseMemlock lifts the soft limit on locked memory to the hard one: pinned
// buffers count against it. What is then still too small is the user's to raise.
func raiseMemlock() {
	var lim unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim) == nil && lim.Cur < lim.Max {
		lim.Cur = lim.Max
		_ = unix.Setrlimit(unix.RLIMIT_MEMLOCK, &lim)
	}
}

// Open implements engine.Engine.
func (e *Engine) Open(c engine.Config) (engine.Submitter, error) {
	cfg := cConfig(c, e.setupFlags)
	files := make([]C.struct_rp_file, len(c.Files)+1) // never empty: &files[0] is passed
	for i, f := range c.Files {
		files[i] = C.struct_rp_file{
			fd:          C.int32_t(f.FD),
			blocks:      C.uint64_t(f.Blocks),
			start_block: C.uint64_t(f.Start),
			nsid:        C.uint32_t(f.NSID),
			lbas:        C.uint32_t(f.LBAs),
			transfer:    C.uint32_t(f.Transfer),
			metadata:    C.uint32_t(f.Metadata),
			control:     C.uint32_t(f.Control),
		}
	}
	var (
		report C.struct_rp_report
		worker *C.struct_rp_worker
	)
	rc := C.rp_open(&cfg, &files[0], &report, &worker)
	if rc < 0 {
		return nil, &engine.Error{
			Step:  engine.Step(report.step),
			Errno: syscall.Errno(-rc),
			Bytes: int64(report.buffer_bytes),
		}
	}
	return newSubmitter(c, worker, &report, e.dropped), nil
}

func cConfig(c engine.Config, granted uint32) C.struct_rp_config {
	s := c.Spec
	cfg := C.struct_rp_config{
		engine:         engineNumber(s.Engine),
		op:             opNumber(s),
		flags:          C.uint32_t(optionFlags(c)),
		depth:          C.uint32_t(c.Depth),
		submit:         C.uint32_t(c.SubmitBatch),
		complete:       C.uint32_t(c.CompleteBatch),
		block_size:     C.uint32_t(s.BlockSize),
		nr_files:       C.uint32_t(len(c.Files)),
		setup_flags:    C.uint32_t(granted),
		sqpoll_idle_ms: C.uint32_t(s.SQPollIdleMS),
		buffer_fd:      C.int32_t(c.BufferFD),
		buffer_offset:  C.uint64_t(c.BufferOffset),
		seed:           C.uint64_t(c.Seed),
		clock:          C.struct_rp_clock{mult: C.uint64_t(c.Clock.Mult), hz: C.uint64_t(c.Clock.Hz)},
	}
	if s.SQPollCPU >= 0 {
		cfg.sqpoll_cpu = C.uint32_t(s.SQPollCPU)
	}
	return cfg
}

func engineNumber(k result.EngineKind) C.uint32_t {
	switch k {
	case result.EngineAIO:
		return C.RP_ENGINE_AIO
	case result.EnginePreadv2:
		return C.RP_ENGINE_SYNC
	}
	return C.RP_ENGINE_URING
}

func opNumber(s *result.Spec) C.uint32_t {
	switch {
	case s.Op == result.OpNop:
		return C.RP_OP_NOP
	case s.Random:
		return C.RP_OP_RANDOM
	}
	return C.RP_OP_SEQ
}

func optionFlags(c engine.Config) uint32 {
	var flags uint32
	set := func(on bool, flag uint32) {
		if on {
			flags |= flag
		}
	}
	s := c.Spec
	set(c.Polled, C.RP_POLLED)
	set(s.FixedBuffers && s.Op != result.OpNop, C.RP_FIXED_BUFS)
	set(s.FixedFiles, C.RP_FIXED_FILES)
	set(s.RegisteredRing, C.RP_FIXED_RING)
	set(s.Vectored, C.RP_VECTORED)
	set(s.Restricted, C.RP_RESTRICTED)
	set(s.Latency, C.RP_TIMED)
	set(s.LatencyEach, C.RP_TIMED_EACH)
	set(s.Passthrough, C.RP_PASSTHROUGH)
	set(c.FirstError, C.RP_FIRST_ERROR)
	return flags
}

// checkErr turns a C return code into an error; the only place that does.
func checkErr(rc C.int, w *C.struct_rp_worker) error {
	if rc >= 0 {
		return nil
	}
	var file C.uint32_t
	step := C.rp_fault(w, &file)
	return &engine.Error{Step: engine.Step(step), Errno: syscall.Errno(-rc), File: int(file)}
}

// view is C memory as a Go slice, valid until the worker is closed.
func view[T any](p *T, n int) []T {
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, n)
}
