// Package ab is the life of a comparison in pairs: which arm is measured when,
// slice after slice, what the pairs come to so far, when to stop, and the
// verdict.
//
// It measures nothing itself: a Runner makes a slice, as a process of its own
// (Program) or, in tests, out of numbers. It prints nothing. Of ours it may
// import metric, result and stats.
package ab

import (
	"errors"
	"time"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// Job is one slice to be measured.
type Job struct {
	Arm  int // index
	Pair int // from 1 on
	Seed uint64
}

// ErrStopped is what a Runner and a Switcher return when Stop came first.
var ErrStopped = errors.New("stopped by a signal")

// Runner measures slices.
type Runner interface {
	// Slice measures one, with nothing of it left over when it returns. An
	// error is one sentence, a *result.Error with the status that goes with
	// it, or ErrStopped.
	Slice(j Job, stop <-chan string) (*result.Result, error)
}

// Switcher puts the system into the state that an arm is to be measured in.
type Switcher interface {
	To(arm string, pair int, stop <-chan string) error
	// Restore puts back what was changed, once and for all, also when nothing
	// or not everything was.
	Restore() error
}

// Observer is told what happens. An error from it ends the comparison as a
// signal would: nobody is listening any more.
type Observer interface {
	// Started comes before the first slice.
	Started(r *result.AB) error
	// Paired comes after each complete pair, with the outcomes so far.
	Paired(r *result.AB) error
}

// Options are what a comparison needs.
type Options struct {
	Plan    result.ABPlan
	Arms    []result.ABArm // name, flags, arguments, binary
	Command []string
	Tool    result.Tool
	System  result.System
	Notes   []result.Note

	Runner   Runner
	Switcher Switcher // nil: nothing to switch
	Observer Observer
	// Stop ends the comparison normally; its values name the signal, and it
	// is closed then.
	Stop <-chan string
}

// Comparison is a comparison with the results of its slices.
type Comparison struct {
	*result.AB
	// Results are those of Slices, by index; nil for one that has none. Their
	// intervals and histograms are gone.
	Results []*result.Result
}

// run is the state of one Run.
type run struct {
	Options
	res     *result.AB
	results []*result.Result
	values  [][]map[string]float64 // of complete pairs: by pair and arm
	metrics []metric.Metric
	// deciding are the effects that verdicts are made of: the first metric's,
	// by arm after the first.
	deciding []stats.Effect
}

// Run compares. What was measured until an error is kept: the Comparison is
// never nil, and its End has the exit status.
func Run(o Options) (*Comparison, error) {
	r := &run{Options: o, metrics: metric.All()}
	r.res = &result.AB{
		Schema: result.ABSchemaVersion, Tool: o.Tool, Command: o.Command, System: o.System,
		Started: now(), Plan: o.Plan, Arms: o.Arms, Notes: o.Notes,
	}
	err := r.Observer.Started(r.res)
	if err != nil {
		err = observerError(err)
	} else {
		err = r.pairs()
	}
	if r.Switcher != nil {
		if undone := r.Switcher.Restore(); err == nil || errors.Is(err, ErrStopped) {
			if undone != nil {
				err = undone
			}
		} else if undone != nil {
			err = errors.Join(err, undone)
		}
	}
	return &Comparison{AB: r.res, Results: r.results}, r.conclude(err)
}

// pairs measures all of them, until the plan is fulfilled or something is in
// the way.
func (r *run) pairs() error {
	plan := newOrder(len(r.Arms), r.Plan.Seed)
	for pair := 1; pair <= r.Plan.Pairs; pair++ {
		order, seed := plan.next()
		if err := r.pair(pair, order, seed); err != nil {
			return err
		}
		r.reckon()
		if err := r.Observer.Paired(r.res); err != nil {
			return observerError(err)
		}
		if plan.balanced() && r.precise() {
			r.res.End.Reason = reasonPrecision
			return nil
		}
	}
	r.res.End.Reason = reasonPairs
	return nil
}

// pair measures each arm once. What an incomplete one has measured is kept and
// marked.
func (r *run) pair(pair int, order []int, seed uint64) error {
	values := make([]map[string]float64, len(r.Arms))
	first := len(r.res.Slices)
	for _, arm := range order {
		v, err := r.slice(Job{Arm: arm, Pair: pair, Seed: seed})
		if err != nil {
			for i := first; i < len(r.res.Slices); i++ {
				if s := &r.res.Slices[i]; s.Discarded == "" {
					s.Discarded = "its pair was not completed"
				}
			}
			return err
		}
		values[arm] = v
	}
	r.values = append(r.values, values)
	r.res.Pairs = len(r.values)
	return nil
}

// slice measures one, and notes what it came to.
func (r *run) slice(j Job) (map[string]float64, error) {
	if stopped(r.Stop) {
		return nil, ErrStopped
	}
	arm := &r.res.Arms[j.Arm]
	if r.Switcher != nil {
		if err := r.Switcher.To(arm.Name, j.Pair, r.Stop); err != nil {
			return nil, err
		}
	}
	s := result.Slice{Pair: j.Pair, Arm: arm.Name, Started: now(), Seed: j.Seed}
	res, err := r.Runner.Slice(j, r.Stop)
	if err == nil {
		err = measured(res)
	}
	if err != nil {
		s.Discarded = err.Error()
		err = ofArm(arm.Name, j.Pair, err)
	} else {
		s.Values = r.figures(res)
		describe(arm, res)
	}
	r.res.Slices = append(r.res.Slices, s)
	r.results = append(r.results, slim(res))
	return s.Values, err
}

// measured says whether a slice came to its own end with something in it.
func measured(res *result.Result) error {
	switch {
	case res.End.Reason == "signal":
		return ErrStopped
	case res.End.Reason != "time":
		return result.Errorf(result.StatusIO, "a slice ended early: %s", res.End.Error)
	case res.Summary.IOPSMean <= 0:
		return result.Errorf(result.StatusIO, "nothing completed in a slice: make slices longer with -r")
	}
	return nil
}

func (r *run) figures(res *result.Result) map[string]float64 {
	values := map[string]float64{}
	sample := metric.Samples(res)[0]
	for _, m := range r.metrics {
		if v, ok := m.Value(&sample); ok {
			values[m.Name] = v
		}
	}
	return values
}

// slim is a result without what nobody asks a slice for.
func slim(res *result.Result) *result.Result {
	if res == nil {
		return nil
	}
	c := *res
	c.Intervals, c.Histogram = nil, nil
	return &c
}

func ofArm(name string, pair int, err error) error {
	var e *result.Error
	if !errors.As(err, &e) {
		return err
	}
	return result.Because(err, e.Status, "arm %s, pair %d: %s", name, pair, e.Text)
}

func observerError(err error) error { return result.Errorf(result.StatusIO, "%w", err) }

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// stopped says whether a signal has come.
func stopped(stop <-chan string) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}
