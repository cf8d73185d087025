package bench

import (
	"time"

	"ringpeak/go/affinity"
	"ringpeak/go/check"
	"ringpeak/go/device"
	"ringpeak/go/engine"
	"ringpeak/go/result"
	"ringpeak/go/usage"
)

// Observer is told what happens while it happens. An error from it ends the
// run as a signal would: nobody is listening any more.
type Observer interface {
	// Started comes once, when everything is open and nothing runs yet.
	Started(r *result.Result) error
	// Interval comes for each interval, in order, on a goroutine of its own
	// while the measured window goes on: it should not allocate, may take its
	// time, and must not look at r.Intervals, which grow meanwhile.
	// Intervals of the warm-up come as well, marked as such. With repeats, r
	// is of the repeat.
	Interval(r *result.Result, iv *result.Interval) error
}

// Options are what a run needs beside its Spec.
type Options struct {
	Spec    result.Spec
	Command []string
	Tool    result.Tool
	System  result.System
	Notes   []result.Note // from before
	Root    string        // of /sys and /proc; "" is the system's own
	// Names are what targets are called in output, by path, where the path
	// tells people nothing.
	Names map[string]string

	Engine   engine.Engine
	Observer Observer
	// Stop ends the run normally; its values name the signal.
	Stop <-chan string
	// DrainTimeout is how long I/O may take to come back at the end, and
	// what a stuck target is told by; 0 is DefaultDrainTimeout.
	DrainTimeout time.Duration
}

// DefaultDrainTimeout is long for a device that works and short for a person
// who waits for one that does not.
const DefaultDrainTimeout = 5 * time.Second

// run is the state of one Run.
type run struct {
	Options
	res                           *result.Result
	allowed                       []int // CPUs of this process
	plan                          *affinity.Plan
	polled                        bool
	huge                          *hugeFile
	clock                         engine.Clock
	crew                          *crew
	evidence                      check.Evidence
	ringsClosed                   bool   // by this run, moments ago: see openPatiently
	inFlightBefore, inFlightAfter uint64 // at the two ends of the window
	repeat                        int    // the present one, from 1 on; 0 when there is only one
	failed                        uint64 // I/Os of the repeats before the present one
	stopped                       string // the signal that came while rings were opened
	meter                         *usage.Meter
	fullness                      []fullness // of the queues, by submitter
}

// Run measures. The Result is complete up to where the run came, and nil only
// when nothing was started; the error is a *result.Error for people.
func Run(o Options) (*result.Result, error) {
	if o.DrainTimeout == 0 {
		o.DrainTimeout = DefaultDrainTimeout
	}
	r := &run{Options: o}
	r.res = &result.Result{
		Schema:  result.SchemaVersion,
		Tool:    o.Tool,
		Command: o.Command,
		System:  o.System,
		Spec:    o.Spec,
		Notes:   o.Notes,
		Targets: []result.Target{},

		PerTarget: []result.TargetCounters{},
		Errors:    []result.ErrorCount{},
		Checks:    []result.Check{},
	}
	defer func() { device.CloseAll(r.res.Targets) }()
	defer func() { r.huge.Close() }()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	if err := r.chooseClock(); err != nil {
		return nil, err
	}
	if err := r.ceiling(); err != nil {
		return nil, err
	}
	if err := r.openPatiently(); err != nil {
		return nil, err
	}
	r.res.Started = time.Now().UTC().Format(time.RFC3339)
	end := r.Observer.Started(r.res)
	if end != nil {
		r.crew.abandon()
		return nil, observerError(end)
	}
	if r.Spec.Repeat > 1 {
		return r.res, r.conclude(r.measureRepeats())
	}
	return r.res, r.conclude(r.measureAndCollect())
}

// prepare does everything that needs no submitter: targets, polling, placement.
func (r *run) prepare() error {
	var err error
	if r.Spec.NeedsTarget() {
		o := device.Options{
			BlockSize: r.Spec.BlockSize, Direct: r.Spec.Direct,
			Passthrough: r.Spec.Passthrough, Follow: r.Spec.Follow, Root: r.Root,
		}
		if r.res.Targets, err = device.OpenAll(r.Spec.Targets, o); err != nil {
			return err
		}
		for i := range r.res.Targets {
			if name := r.Names[r.res.Targets[i].Path]; name != "" {
				r.res.Targets[i].Path, r.res.Targets[i].Renamed = name, true
			}
			r.res.Notes = append(r.res.Notes, device.Notes(&r.res.Targets[i], r.Spec.BlockSize)...)
		}
	}
	allowed, err := affinity.Allowed()
	if err != nil {
		return result.Errorf(result.StatusSetup, "%w", err)
	}
	r.allowed = allowed
	if r.plan, err = affinity.Make(&r.Spec, r.res.Targets, allowed, r.Root); err != nil {
		return err
	}
	r.res.Placements = r.plan.Placements
	r.res.Notes = append(r.res.Notes, r.plan.Notes...)
	if err := r.checkMemory(); err != nil {
		return err
	}
	if r.huge, err = openHugeFile(&r.Spec, r.shareBytes()); err != nil {
		return err
	}
	if err := r.resolvePolling(); err != nil {
		return err
	}
	r.noteSettings()
	return nil
}

func observerError(err error) error {
	return result.Errorf(result.StatusIO, "%w", err)
}
