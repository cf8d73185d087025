package fake

import (
	"math/bits"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// SetPhase implements engine.Submitter. Phases only go forward.
func (s *Submitter) SetPhase(p engine.Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("SetPhase")
	if p < s.phase {
		s.engine.violation("SetPhase(%d) after %d", p, s.phase)
	}
	s.phase = p
}

// Kick implements engine.Submitter.
func (s *Submitter) Kick() {
	s.mu.Lock()
	s.alive("Kick")
	s.mu.Unlock()
	s.engine.event(Kicked, s.config.Seed)
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// Granted implements engine.Submitter.
func (s *Submitter) Granted() result.Granted { return s.script.Granted }

// Counters implements engine.Submitter.
func (s *Submitter) Counters() result.Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("Counters")
	return s.counters
}

// Read implements engine.Submitter.
func (s *Submitter) Read(files []engine.FileCounters) result.Counters {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("Read")
	if len(files) != len(s.files) {
		s.engine.violation("Read into %d places of %d files", len(files), len(s.files))
		return s.counters
	}
	copy(files, s.files)
	for n := s.returned; n < s.counters.Submitted; n++ {
		files[s.fileOf(n)].InFlight++
	}
	return s.counters
}

// Split implements engine.Submitter: that of the Script, once there was a window.
func (s *Submitter) Split() engine.Split {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("Split")
	if s.inBatch {
		s.engine.violation("Split during a Batch")
	}
	if s.window.length() <= 0 {
		return engine.Split{}
	}
	return s.script.Split
}

// Failures implements engine.Submitter.
func (s *Submitter) Failures() []engine.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("Failures")
	return append([]engine.Failure(nil), s.failures...)
}

// Overflows implements engine.Submitter.
func (s *Submitter) Overflows() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("Overflows")
	return s.script.Overflows
}

// Window implements engine.Submitter.
func (s *Submitter) Window() *engine.Window {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive("Window")
	if s.inBatch {
		s.engine.violation("Window during a Batch")
	}
	if !s.config.Spec.Latency || s.window.length() <= 0 {
		return nil
	}
	return s.window.export(&s.script)
}

// window is when PhaseMeasure and PhaseStop were seen, and what completed
// in between.
type window struct {
	began, ended time.Time
	completed    uint64
}

func (w *window) turn(p engine.Phase, completed uint64) {
	switch {
	case p == engine.PhaseMeasure:
		w.began, w.completed = time.Now(), completed
	case p == engine.PhaseStop && !w.began.IsZero():
		w.ended, w.completed = time.Now(), completed-w.completed
	}
}

// The layout of csrc/ringpeak.h's histogram.
const (
	histSubBits = 8
	histMaxBits = 36
	histCounts  = (histMaxBits - histSubBits + 2) << (histSubBits - 1)
)

// length is 0 until the window has ended.
func (w *window) length() time.Duration {
	if w.ended.IsZero() {
		return 0
	}
	return w.ended.Sub(w.began)
}

func (w *window) export(s *Script) *engine.Window {
	out := &engine.Window{
		Completed: w.completed,
		Length:    w.length(),
		Clock:     time.Duration(float64(w.length()) * (1 + s.ClockOff)),
		InFlight:  s.InFlight,
		Histogram: result.Histogram{
			LowestNS:  1,
			HighestNS: 1<<histMaxBits - 1,
			Digits:    2,
			Counts:    make([]int64, histCounts),
			Over:      min(s.OverSamples, w.completed),
		},
	}
	in := w.completed - out.Histogram.Over
	ns := uint64(s.latency())
	out.Histogram.Counts[bucket(ns)] = int64(in - min(s.LoseSamples, in))
	if out.InFlight == 0 {
		out.InFlight = float64(w.completed) * float64(ns) / float64(out.Length)
	}
	return out
}

// bucket is the index of a latency in HdrHistogram's layout.
func bucket(ns uint64) int {
	shift := bits.Len64(ns|(1<<histSubBits-1)) - histSubBits
	return shift<<(histSubBits-1) + int(ns>>shift)
}
