package ab

import (
	"errors"
	"fmt"
	"slices"

	"ringpeak/go/result"
)

// Reasons of an end.
const (
	reasonPairs     = "pairs"
	reasonPrecision = "precision"
	reasonSignal    = "signal"
	reasonError     = "error"
)

// conclude sets how it ended, and returns the errors to be told.
func (r *run) conclude(err error) error {
	end := &r.res.End
	end.Drained = true
	switch {
	case errors.Is(err, ErrStopped):
		end.Reason, err = reasonSignal, nil
	case err != nil:
		end.Reason = reasonError
	}
	if err == nil && r.res.Pairs == 0 {
		err = result.Errorf(result.StatusIO, "stopped before the first pair was complete: nothing was compared")
	}
	if err == nil && r.inconclusive() {
		end.Status = result.StatusAssert
		return nil
	}
	var e *result.Error
	if errors.As(err, &e) {
		end.Status, end.Error = e.Status, e.Text
		if r.res.Pairs > 0 {
			kept := fmt.Sprintf("%d pairs before are kept", r.res.Pairs)
			if r.res.Pairs == 1 {
				kept = "the pair before it is kept"
			}
			r.res.Notes = append(r.res.Notes, result.Notef("kept", "%s", kept))
		}
	}
	return err
}

// inconclusive says whether some outcome is. A comparison of the same with
// itself has its outcome in any case: the noise.
func (r *run) inconclusive() bool {
	if r.Plan.AA {
		return r.res.Noise == nil
	}
	return slices.ContainsFunc(r.res.Outcomes, func(o result.ABResult) bool { return o.Verdict == result.ABInconclusive })
}

// describe takes from a slice what its arm is, and which checks did not pass.
func describe(arm *result.ABArm, res *result.Result) {
	if arm.Spec == nil {
		tool, spec, granted := res.Tool, res.Spec, res.Granted
		arm.Tool, arm.Spec, arm.Granted, arm.Targets = &tool, &spec, &granted, res.Targets
	}
	for i := range res.Checks {
		c := &res.Checks[i]
		if c.State != result.CheckWarn && c.State != result.CheckFail {
			continue
		}
		at := slices.IndexFunc(arm.Checks, func(a result.ArmCheck) bool { return a.Code == c.Code })
		if at < 0 {
			at = len(arm.Checks)
			arm.Checks = append(arm.Checks, result.ArmCheck{Code: c.Code})
		}
		a := &arm.Checks[at]
		a.Slices++
		if a.State == "" || c.State.Severity() > a.State.Severity() {
			a.State, a.Text = c.State, c.Text
		}
	}
}
