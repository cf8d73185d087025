package main

import (
	"ringpeak/go/assert"
	"ringpeak/go/result"
)

// judge holds a result against the conditions of --assert, records what became
// of them, and returns an error for each that failed. A run that ended in an
// error keeps its status: what cannot be relied on cannot be judged either.
func judge(list []assert.Assertion, r *result.Result) []error {
	r.Assertions = assert.Evaluate(list, r)
	var failed []error
	for i := range r.Assertions {
		if a := &r.Assertions[i]; !a.Passed {
			failed = append(failed, result.Errorf(result.StatusAssert, "assertion failed: %s", a.Outcome))
		}
	}
	if len(failed) > 0 && r.End.Status == result.StatusOK {
		r.End.Status, r.End.Error = result.StatusAssert, failed[0].Error()
	}
	return failed
}
