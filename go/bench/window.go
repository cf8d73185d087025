package bench

import (
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

const (
	// chunk is how many intervals are allocated at a time.
	chunk = 1024
	// A reading that took longer than this, and two microseconds for each
	// submitter, was interrupted and is repeated, up to readTries times.
	readLimit = 50 * time.Microsecond
	readTries = 20
)

// window reads the counters of running submitters at the ends of intervals.
// Nothing in it allocates, save once per chunk of intervals.
type window struct {
	res     *result.Result
	members []*member
	widths  []int // files per submitter
	total   int   // files of all submitters
	targets []int // of each of these files: an index into Result.Targets, -1 for NOP

	opened time.Time
	last   time.Time
	before uint64 // in flight when the window opened
	prev   []result.Counters
	now    []result.Counters
	files  []engine.FileCounters   // of the last reading
	byFile []result.TargetCounters // of the reading before it

	counters  []result.Counters       // slab for Interval.Submitters
	inFlight  []uint32                // slab for Interval.InFlight
	perTarget []result.TargetCounters // slab for Interval.Targets

	failed   uint64 // I/Os of all submitters, since they were opened
	loss     loss
	fullness []fullness // by submitter
}

func newWindow(r *result.Result, members []*member) *window {
	w := &window{
		res:     r,
		members: members,
		prev:    make([]result.Counters, len(members)),
		now:     make([]result.Counters, len(members)),

		fullness: make([]fullness, len(members)),
	}
	for _, p := range r.Placements {
		n := max(len(p.Targets), 1)
		w.widths = append(w.widths, n)
		w.total += n
		w.targets = append(w.targets, p.Targets...)
		if len(p.Targets) == 0 {
			w.targets = append(w.targets, -1)
		}
	}
	w.files = make([]engine.FileCounters, w.total)
	w.byFile = make([]result.TargetCounters, w.total)
	n := chunk
	if r.Spec.RuntimeNS > 0 {
		n = min(n, int(r.Spec.RuntimeNS/r.Spec.IntervalNS)+1)
	}
	w.grow(n)
	return w
}

// grow makes room for n more intervals. What it leaves behind is not collected
// before the run ends, so the list of them at least doubles: all former ones
// together are then no larger than the last.
func (w *window) grow(n int) {
	old := w.res.Intervals
	if len(old)+n > cap(old) {
		w.res.Intervals = append(make([]result.Interval, 0, len(old)+max(n, len(old))), old...)
	}
	w.counters = make([]result.Counters, n*len(w.members))
	w.inFlight = make([]uint32, n*w.total)
	w.perTarget = make([]result.TargetCounters, n*len(w.res.Targets))
}

// open starts the window: from here on everything counts.
func (w *window) open() {
	w.opened = w.read()
	for i := range w.files {
		w.byFile[i] = w.countersOf(i)
	}
	w.last = w.opened
	w.prev, w.now = w.now, w.prev
	for _, c := range w.prev {
		w.before += c.InFlight()
	}
}

// countersOf are those of file i of all submitters' in the last reading.
func (w *window) countersOf(i int) result.TargetCounters {
	f := &w.files[i]
	c := result.TargetCounters{Completed: f.Completed, Failed: f.Failed}
	if w.targets[i] >= 0 {
		c.Bytes = f.Completed * uint64(w.res.Spec.BlockSize)
	}
	return c
}

// read stores all counters, per submitter and per file of it, and returns the
// moment of the reading: the middle of the time that it took.
func (w *window) read() time.Time {
	limit := readLimit + time.Duration(len(w.members))*2*time.Microsecond
	for try := 1; ; try++ {
		began := time.Now()
		at := 0
		for i, m := range w.members {
			w.now[i] = m.sub.Read(w.files[at : at+w.widths[i]])
			at += w.widths[i]
		}
		if took := time.Since(began); took <= limit || try == readTries {
			return began.Add(took / 2)
		}
	}
}

// take ends an interval now and returns it. Its length is the time between
// the two readings, whatever was planned. One that begins late, since the one
// before it was held up, and is left with less than half of its time is
// partial as well: its rate is noise, and would win as the best interval.
func (w *window) take(partial bool) *result.Interval {
	if len(w.counters) == 0 {
		w.grow(chunk)
	}
	iv := result.Interval{
		StartNS:    int64(w.last.Sub(w.opened)),
		Submitters: w.counters[:len(w.members):len(w.members)],
		Targets:    w.perTarget[:len(w.res.Targets):len(w.res.Targets)],
		InFlight:   w.inFlight[:w.total:w.total],
	}
	w.perTarget = w.perTarget[len(w.res.Targets):]
	w.counters = w.counters[len(w.members):]
	w.inFlight = w.inFlight[w.total:]
	now := w.read()
	iv.LengthNS = int64(now.Sub(w.last))
	iv.Partial = partial || iv.LengthNS < w.res.Spec.IntervalNS/2
	var failed uint64
	for i := range w.members {
		// What the kernel refuses is taken back again.
		w.now[i].Submitted = max(w.now[i].Submitted, w.prev[i].Submitted)
		iv.Submitters[i] = w.now[i].Sub(w.prev[i])
		iv.Total = iv.Total.Add(iv.Submitters[i])
		failed += w.now[i].Failed
	}
	w.failed = failed
	for i, t := range w.targets {
		iv.InFlight[i] = w.files[i].InFlight
		c := w.countersOf(i)
		if t >= 0 {
			iv.Targets[t] = iv.Targets[t].Add(c.Sub(w.byFile[i]))
		}
		w.byFile[i] = c
	}
	w.prev, w.now = w.now, w.prev
	w.last = now
	w.res.Intervals = append(w.res.Intervals, iv)
	return &w.res.Intervals[len(w.res.Intervals)-1]
}

// lossLimit is how long I/O may do nothing but fail.
const lossLimit = 500 * time.Millisecond

// loss watches for the end of all success.
type loss struct {
	good, bad uint64 // completed, and failed when it last grew
	since     time.Time
}

// look counts what has failed, and how full the queues are. It says whether all
// is lost: nothing has succeeded for lossLimit, and something failed.
func (w *window) look() (lost bool) {
	var good, bad uint64
	for i, m := range w.members {
		c := m.sub.Counters()
		w.fullness[i].look(c.InFlight(), w.res.Spec.Depth)
		good += c.Completed
		bad += c.Failed
	}
	w.failed = bad
	l := &w.loss
	if good != l.good || l.since.IsZero() {
		*l = loss{good, bad, time.Now()}
	}
	return bad > l.bad && time.Since(l.since) >= lossLimit
}
