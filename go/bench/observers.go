package bench

import "ringpeak/go/result"

// Observers are several observers as one. Each is told everything, one after
// the other, also when one before it fails; the first error is the one that
// ends the run. A run that one of them fails to start is not announced to the
// others.
type Observers []Observer

// Started tells all of them until one fails.
func (all Observers) Started(r *result.Result) error {
	for _, o := range all {
		if err := o.Started(r); err != nil {
			return err
		}
	}
	return nil
}

// Interval tells all of them.
func (all Observers) Interval(r *result.Result, iv *result.Interval) error {
	var first error
	for _, o := range all {
		if err := o.Interval(r, iv); err != nil && first == nil {
			first = err
		}
	}
	return first
}
