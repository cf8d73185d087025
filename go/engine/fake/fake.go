package fake

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// Engine opens scripted submitters. Make it with New.
type Engine struct {
	// Script says what the submitter that is opened with a Config does.
	Script func(engine.Config) Script
	// ProbeError is what Probe returns.
	ProbeError error
	// Clock is what Calibrate finds, CalibrateError what it returns instead.
	Clock          engine.Clock
	CalibrateError error

	mu         sync.Mutex
	released   chan struct{}
	unreleased bool
	probes     []bool
	calibrated []time.Duration
	events     []Event
	violations []string
	submitters []*Submitter
}

// Event is something that happened to a submitter, in the order of Events.
type Event struct {
	What EventKind
	Seed uint64 // Config.Seed tells submitters apart
	At   time.Time
}

// EventKind names an event.
type EventKind string

// The events. Start is the first Batch.
const (
	Open   EventKind = "open"
	Start  EventKind = "start"
	Kicked EventKind = "kick"
	Drain  EventKind = "drain"
	Close  EventKind = "close"
)

// New makes an Engine whose submitters follow script; nil is the zero Script
// for all.
func New(script func(engine.Config) Script) *Engine {
	if script == nil {
		script = func(engine.Config) Script { return Script{} }
	}
	return &Engine{Script: script, Clock: engine.Clock{Mult: 1 << 32, Hz: 1_000_000_000}, released: make(chan struct{}), unreleased: true}
}

// Probe implements engine.Engine.
func (e *Engine) Probe(_ *result.Spec, polled bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.probes = append(e.probes, polled)
	return e.ProbeError
}

// Calibrate implements engine.Engine. It takes the time that it is given.
func (e *Engine) Calibrate(length time.Duration) (engine.Clock, error) {
	time.Sleep(length)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calibrated = append(e.calibrated, length)
	if e.CalibrateError != nil {
		return engine.Clock{}, e.CalibrateError
	}
	return e.Clock, nil
}

// Calibrations lists the calls of Calibrate by their lengths.
func (e *Engine) Calibrations() []time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]time.Duration(nil), e.calibrated...)
}

// Open implements engine.Engine.
func (e *Engine) Open(c engine.Config) (engine.Submitter, error) {
	script := e.Script(c)
	if script.OpenTakes > 0 {
		time.Sleep(script.OpenTakes)
	}
	if script.OpenError != nil {
		return nil, script.OpenError
	}
	s := &Submitter{
		engine: e, config: c, script: script, tid: unix.Gettid(),
		kick: make(chan struct{}, 1), files: make([]engine.FileCounters, max(len(c.Files), 1)),
	}
	e.mu.Lock()
	e.submitters = append(e.submitters, s)
	e.mu.Unlock()
	e.event(Open, c.Seed)
	return s, nil
}

// Release ends all hangs, those to come as well. A test that lets anything
// hang must call it, or its goroutines stay.
func (e *Engine) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unreleased {
		close(e.released)
		e.unreleased = false
	}
}

// Violations lists the breaches of engine.Submitter's rules so far.
func (e *Engine) Violations() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.violations...)
}

// Events lists what happened so far.
func (e *Engine) Events() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Event(nil), e.events...)
}

// Count is how often something happened.
func (e *Engine) Count(k EventKind) int {
	n := 0
	for _, ev := range e.Events() {
		if ev.What == k {
			n++
		}
	}
	return n
}

// Probes lists the calls of Probe by their argument polled.
func (e *Engine) Probes() []bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]bool(nil), e.probes...)
}

// Submitters lists what was opened, in that order.
func (e *Engine) Submitters() []*Submitter {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Submitter(nil), e.submitters...)
}

func (e *Engine) event(k EventKind, seed uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, Event{k, seed, time.Now()})
}

func (e *Engine) violation(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.violations = append(e.violations, fmt.Sprintf(format, args...))
}
