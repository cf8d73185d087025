package bench

import (
	"errors"
	"math"
	"slices"
	"time"

	"ringpeak/go/check"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// measureRepeats measures all repeats, the first with the crew that is open
// already, and puts them together. Each has a Result of its own while it goes
// on. It stops at a signal, and at a repeat that does not come to its end
// or has no success; I/Os that failed and were counted do not stop it.
func (r *run) measureRepeats() error {
	whole := r.res
	var parts []*result.Result
	var hard error
	for r.repeat = 1; r.repeat <= r.Spec.Repeat && hard == nil; r.repeat++ {
		r.res = r.part(whole)
		if r.repeat > 1 {
			r.ringsClosed = true
			if err := r.openPatiently(); err != nil {
				r.res, hard = whole, r.notOpened(whole, err)
				break
			}
			r.res.Started = time.Now().UTC().Format(time.RFC3339)
		}
		err := r.measureAndCollect()
		parts = append(parts, r.res)
		r.res = whole
		part := parts[len(parts)-1]
		r.join(whole, part)
		interrupted := part.End.Reason == "signal"
		counted := errors.Is(err, errCounted) && (interrupted || part.Summary.Total.Completed > 0)
		switch {
		case err == nil || counted && !errors.Is(err, errTooMany):
		case interrupted && errors.Is(err, errNothing) && r.repeat > 1: // the others are something
		case errors.Is(err, errTooMany):
			hard = r.stoppedAbove()
		default:
			hard = r.inRepeat(err)
		}
		if interrupted || !part.End.Drained {
			break
		}
	}
	r.sum(whole, parts)
	switch {
	case hard != nil:
		return hard
	case len(whole.Errors) > 0:
		return r.someFailed()
	}
	return nil
}

// part is an empty Result for one repeat, with everything that was known
// before the first.
func (r *run) part(whole *result.Result) *result.Result {
	p := *whole
	p.Placements = slices.Clone(whole.Placements)
	p.Notes = slices.Clip(whole.Notes)
	p.Intervals, p.Repeats, p.Summary, p.PerSubmitter = nil, nil, result.Summary{}, nil
	p.Errors, p.Checks, p.Latency, p.Histogram, p.End = nil, nil, nil, nil, result.End{}
	p.Usage, p.Bound, p.TimeSplit, p.PerTarget, p.Clock.DeviationPercent = nil, nil, nil, nil, nil
	return &p
}

// notOpened ends the run between two repeats: by a signal, or because the
// rings of the next one could not be opened.
func (r *run) notOpened(whole *result.Result, err error) error {
	if errors.Is(err, errHurry) {
		whole.End = result.End{Reason: "signal", Signal: r.stopped, Drained: true}
		return nil
	}
	whole.End = result.End{Reason: "error", Drained: true}
	return r.inRepeat(err)
}

func (r *run) inRepeat(err error) error {
	status := result.StatusIO
	var e *result.Error
	if errors.As(err, &e) {
		status = e.Status
	}
	return result.Because(err, status, "repeat %d of %d: %s", r.repeat, r.Spec.Repeat, err)
}

// join adds a finished repeat to the whole. What join and sum do not know of
// stays as the last repeat left it.
func (r *run) join(whole, part *result.Result) {
	w := *part
	w.Intervals = append(whole.Intervals, part.Intervals...)
	w.Errors = addErrors(whole.Errors, part.Errors)
	w.Notes = addNotes(whole.Notes, part.Notes)
	w.Repeats, w.Histogram = whole.Repeats, whole.Histogram
	w.TimeSplit = stats.AddSplits(whole.TimeSplit, part.TimeSplit)
	if a, b := whole.Clock.DeviationPercent, part.Clock.DeviationPercent; a != nil && (b == nil || math.Abs(*a) > math.Abs(*b)) {
		w.Clock.DeviationPercent = a
	}
	w.Started, w.Placements, w.Granted = whole.Started, whole.Placements, whole.Granted
	if h, err := stats.MergeHistograms(whole.Histogram, part.Histogram); err == nil {
		w.Histogram = h
	}
	if len(part.Intervals) > 0 { // else it ended before its window opened
		w.Repeats = append(w.Repeats, result.Repeat{
			Number: r.repeat, Started: part.Started, Reason: part.End.Reason,
			Partial: part.End.Reason != "time" && part.End.Reason != "steady",
			Summary: part.Summary, PerSubmitter: part.PerSubmitter, PerTarget: part.PerTarget, TimeSplit: part.TimeSplit, Latency: part.Latency, Usage: part.Usage, Bound: part.Bound, Checks: part.Checks,
		})
	}
	*whole = w
}

// sum makes the summary over all repeats: their windows pooled, so that the
// mean is all completions over all measured time.
func (r *run) sum(whole *result.Result, parts []*result.Result) {
	s := stats.Summarise(whole.Intervals)
	for i := range whole.Repeats {
		s.InFlightBefore += whole.Repeats[i].Summary.InFlightBefore
		s.InFlightAfter += whole.Repeats[i].Summary.InFlightAfter
	}
	s.Repeats, s.IOPSMedian95, s.IOPSMedian95Why = stats.SpreadOfRepeats(whole.Repeats)
	whole.Summary = s
	whole.PerSubmitter = stats.SumSubmitters(whole.Intervals)
	whole.PerTarget = stats.SumTargets(whole.Intervals, len(whole.Targets))
	if l, err := stats.Latency(whole.Histogram); err == nil {
		whole.Latency = l
	}
	whole.Usage, whole.Bound = nil, nil // each repeat has its own
	whole.Checks = worstChecks(parts)
	whole.Checks = append(whole.Checks, check.RepeatsAgree(s.Repeats))
}

func addErrors(sum, more []result.ErrorCount) []result.ErrorCount {
	list := append([]result.ErrorCount{}, sum...)
	for _, e := range more {
		i := slices.IndexFunc(list, func(f result.ErrorCount) bool {
			return f.Target == e.Target && f.Errno == e.Errno && f.NVMe == e.NVMe
		})
		if i < 0 {
			list = append(list, e)
		} else {
			list[i].Count += e.Count
		}
	}
	sortErrors(list)
	return list
}

// addNotes adds the new ones.
func addNotes(all, more []result.Note) []result.Note {
	for _, n := range more {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}
