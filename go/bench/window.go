package bench

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"time"

	"ringpeak/go/affinity"
	"ringpeak/go/engine"
	"ringpeak/go/result"
)

const (
	// settleLimit bounds the wait for every submitter's first completion.
	settleLimit = 100 * time.Millisecond
	settleStep  = 200 * time.Microsecond
	// chunk is how many intervals are allocated at a time.
	chunk = 1024
)

// window reads the counters of running submitters at the ends of intervals.
// Nothing in it allocates, save once per chunk of intervals.
type window struct {
	res     *result.Result
	members []*member
	widths  []int // files per submitter
	total   int   // files of all submitters

	opened time.Time
	last   time.Time
	prev   []result.Counters

	counters []result.Counters // slab for Interval.Submitters
	inFlight []uint32          // slab for Interval.InFlight
}

func newWindow(r *result.Result, members []*member) *window {
	w := &window{res: r, members: members, prev: make([]result.Counters, len(members))}
	for _, p := range r.Placements {
		n := max(len(p.Targets), 1)
		w.widths = append(w.widths, n)
		w.total += n
	}
	n := chunk
	if r.Spec.RuntimeNS > 0 {
		n = min(n, int(r.Spec.RuntimeNS/r.Spec.IntervalNS)+1)
	}
	w.grow(n)
	return w
}

func (w *window) grow(n int) {
	old := w.res.Intervals
	w.res.Intervals = append(make([]result.Interval, 0, len(old)+n), old...)
	w.counters = make([]result.Counters, n*len(w.members))
	w.inFlight = make([]uint32, n*w.total)
}

// open starts the window: from here on everything counts.
func (w *window) open() {
	w.opened = time.Now()
	w.last = w.opened
	for i, m := range w.members {
		w.prev[i] = m.sub.Counters()
	}
}

// take ends an interval now and returns it. Its length is the time between
// the two readings, whatever was planned. One that begins late, since the one
// before it was held up, and is left with less than half of its time is
// partial as well: its rate is noise, and would win as the best interval.
func (w *window) take(partial bool) *result.Interval {
	if len(w.res.Intervals) == cap(w.res.Intervals) {
		w.grow(chunk)
	}
	now := time.Now()
	length := int64(now.Sub(w.last))
	iv := result.Interval{
		StartNS:    int64(w.last.Sub(w.opened)),
		LengthNS:   length,
		Partial:    partial || length < w.res.Spec.IntervalNS/2,
		Submitters: w.counters[:len(w.members):len(w.members)],
		InFlight:   w.inFlight[:w.total:w.total],
	}
	w.counters = w.counters[len(w.members):]
	w.inFlight = w.inFlight[w.total:]
	at := 0
	for i, m := range w.members {
		c := m.sub.Counters()
		// What the kernel refuses is taken back again.
		c.Submitted = max(c.Submitted, w.prev[i].Submitted)
		m.sub.InFlight(iv.InFlight[at : at+w.widths[i]])
		at += w.widths[i]
		iv.Submitters[i] = c.Sub(w.prev[i])
		iv.Total = iv.Total.Add(iv.Submitters[i])
		w.prev[i] = c
	}
	w.last = now
	w.res.Intervals = append(w.res.Intervals, iv)
	return &w.res.Intervals[len(w.res.Intervals)-1]
}

// ending is why a window closed.
type ending struct {
	reason string // "time", "signal", "error"
	signal string
	member *member // the one that failed, if one did
	err    error   // what else ended it
}

// settle waits until every submitter has completed something, so that the
// window sees full queues from its first moment on.
func (r *run) settle() {
	for deadline := time.Now().Add(settleLimit); time.Now().Before(deadline); {
		idle := false
		for _, m := range r.crew.members {
			c := m.sub.Counters()
			idle = idle || c.Completed+c.Failed == 0
		}
		if !idle {
			return
		}
		time.Sleep(settleStep)
	}
}

// measure runs the window to its end. Collection is off meanwhile: it would
// interrupt the submitters' CPUs. The memory limit stays in force.
func (r *run) measure() ending {
	w := newWindow(r.res, r.crew.members)
	debug.FreeOSMemory()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	restore := r.standAside()
	defer restore()

	close(r.crew.start)
	r.settle()
	r.crew.setPhase(engine.PhaseMeasure)
	w.open()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	interval, total := r.Spec.Interval(), r.Spec.Runtime()
	var failed uint64
	for i := 1; ; i++ {
		due := time.Duration(i) * interval
		short := total > 0 && due > total
		if short {
			due = total
		}
		end := r.waitUntil(timer, w.opened.Add(due))
		iv := w.take(short || end.reason != "")
		if end.reason == "" && !iv.Partial && iv.Total.Failed > 0 && iv.Total.Completed == 0 {
			end = ending{reason: "error", err: errAllFailed}
		}
		if failed += iv.Total.Failed; end.reason == "" && r.Spec.MaxErrors > 0 && failed > uint64(r.Spec.MaxErrors) {
			end = ending{reason: "error", err: errTooMany}
		}
		if end.reason == "" && total > 0 && due >= total {
			end.reason = "time"
		}
		if end.reason != "" {
			r.crew.setPhase(engine.PhaseStop) // before anything that takes time
		}
		if err := r.Observer.Interval(r.res, iv); err != nil && end.err == nil {
			end.err = observerError(err)
			end.reason = cmp.Or(end.reason, "error")
		}
		if end.reason != "" {
			return end
		}
	}
}

// standAside keeps the reading thread off the submitters' CPUs, where there is
// another one to run on, until restore is called.
func (r *run) standAside() (restore func()) {
	if r.Spec.Pinning == result.PinNone || len(r.plan.Spare) == 0 {
		return func() {}
	}
	runtime.LockOSThread()
	_ = affinity.PinTo(r.plan.Spare) // a courtesy: without it the numbers are a little lower
	return func() {
		_ = affinity.PinTo(r.allowed)
		runtime.UnlockOSThread()
	}
}

// waitUntil sleeps until t, or less when something ends the run.
func (r *run) waitUntil(timer *time.Timer, t time.Time) ending {
	timer.Reset(time.Until(t))
	select {
	case <-timer.C:
		return ending{}
	case name := <-r.Stop:
		return ending{reason: "signal", signal: name}
	case m := <-r.crew.failed:
		return ending{reason: "error", member: m}
	}
}
