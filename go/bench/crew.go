package bench

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// kickEvery is how often a submitter that does not see its phase is
// interrupted.
const kickEvery = 10 * time.Millisecond

// crew is all submitters of a run, and the gates that they pass together.
type crew struct {
	members []*member
	start   chan struct{} // closed: submit
	release chan struct{} // closed: nobody reads the counters any more, close
	failed  chan *member  // one that cannot go on
	aborted bool          // set before start is closed: close without submitting
	hurry   atomic.Bool   // a signal came while opening: open no more
}

// errHurry is why a submitter was not opened.
var errHurry = errors.New("a signal came first")

// errTooEarly is what a run ends with that was not begun.
var errTooEarly = result.Because(errHurry, result.StatusIO, "nothing was measured: a signal came before the run had begun")

// openCrew opens all submitters, each on the thread that will use it. Either
// all are open afterwards, or none.
func (r *run) openCrew() error {
	if err := r.Engine.Probe(&r.Spec, r.polled); err != nil {
		return r.explain(err, nil)
	}
	n := r.Spec.Threads
	if want := n + 2; runtime.GOMAXPROCS(0) < want {
		runtime.GOMAXPROCS(want)
	}
	c := &crew{
		start:   make(chan struct{}),
		release: make(chan struct{}),
		failed:  make(chan *member, n),
	}
	r.crew = c
	opened := make(chan *member, n)
	for i := range n {
		m := &member{
			index:   i,
			stopped: make(chan struct{}),
			done:    make(chan struct{}),
			closed:  make(chan struct{}),
		}
		c.members = append(c.members, m)
		go r.submit(m, opened)
	}
	var first *member
	stop := r.Stop
	for waiting := n; waiting > 0; {
		select {
		case m := <-opened:
			waiting--
			if m.err != nil && (first == nil || m.index < first.index) {
				first = m
			}
		case r.stopped = <-stop:
			c.hurry.Store(true)
			stop = nil
		}
	}
	if c.hurry.Load() {
		c.abandon()
		return errTooEarly
	}
	if first != nil {
		c.abandon()
		return r.explain(first.err, first)
	}
	for i, m := range c.members {
		r.res.Placements[i].TID = m.tid
	}
	g := c.members[0].sub.Granted()
	r.res.Granted = g
	if r.Spec.RegisteredRing && r.Spec.Engine == result.EngineURing && !g.RingFD {
		r.note("ring-not-registered", "the ring is not registered, although -X1 is in force: this kernel (%s) does not know how; that needs Linux 5.18", r.System.Kernel)
	}
	if share := r.shareBytes(); r.huge != nil && g.BufferBytes > share {
		c.abandon()
		return result.Errorf(result.StatusSetup, "the I/O buffers take %d bytes per submitter, not the %d that %s was divided by: report this", g.BufferBytes, share, r.Spec.HugeFile)
	}
	return nil
}

// abandon closes a crew that has not started.
func (c *crew) abandon() {
	c.aborted = true
	close(c.start)
	close(c.release)
	for _, m := range c.members {
		<-m.closed
	}
}

func (c *crew) setPhase(p engine.Phase) {
	for _, m := range c.members {
		m.sub.SetPhase(p)
	}
}

// back lists the members that came back from their last call: all but those
// that hang in the kernel. What they recorded may be read.
func (c *crew) back() []*member {
	var list []*member
	for _, m := range c.members {
		select {
		case <-m.done:
			list = append(list, m)
		default:
		}
	}
	return list
}

// stop makes all members leave their loops, kicking those that sleep in the
// kernel, and waits for their drains. It returns false when one of them does
// not come back: its thread hangs in a call that no signal ends.
func (c *crew) stop(timeout time.Duration) bool {
	c.setPhase(engine.PhaseStop)
	deadline := time.After(timeout + time.Second)
	tick := time.NewTicker(kickEvery)
	defer tick.Stop()
	for _, m := range c.members {
		for waiting := true; waiting; {
			select {
			case <-m.done:
				waiting = false
			case <-tick.C:
				c.kickSleepers()
			case <-deadline:
				return false
			}
		}
	}
	return true
}

func (c *crew) kickSleepers() {
	for _, m := range c.members {
		select {
		case <-m.stopped:
		default:
			m.sub.Kick()
		}
	}
}

// close lets drained members free what they hold, on their own threads.
func (c *crew) close() {
	close(c.release)
	for _, m := range c.members {
		select {
		case <-m.done:
			<-m.closed
		default: // hangs in the kernel; the process is about to end
		}
	}
}
