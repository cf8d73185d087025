package assert

import (
	"fmt"

	"ringpeak/go/result"
)

// Evaluate holds a result against conditions. What was not measured passes none.
func Evaluate(list []Assertion, r *result.Result) []result.Assertion {
	var outcomes []result.Assertion
	for i := range list {
		outcomes = append(outcomes, list[i].evaluate(r))
	}
	return outcomes
}

func (a *Assertion) evaluate(r *result.Result) result.Assertion {
	o := result.Assertion{Text: a.text, Metric: a.metric.name, Operator: a.op, Unit: a.metric.kind.unit}
	was, why := "", ""
	if a.metric.state != nil {
		o.WantedState = result.CheckState(a.raw)
		o.State, why = a.metric.state(r)
		o.Passed = why == "" && (o.State == o.WantedState) == (a.op == "==")
		was = string(o.State)
	} else {
		wanted := a.number.value
		o.Wanted = &wanted
		var v float64
		if v, why = a.metric.value(r); why == "" {
			o.Value, o.Passed = &v, holds(v, a.op, wanted)
			was = a.metric.kind.format(v, a.number, func(short float64) bool { return holds(short, a.op, wanted) == o.Passed })
		}
	}
	if why == "" {
		why = "= " + was
	}
	o.Outcome = fmt.Sprintf("%s %s, wanted %s %s", a.metric.name, why, a.op, a.raw)
	return o
}

// holds compares exactly.
func holds(v float64, op string, wanted float64) bool {
	switch op {
	case ">=":
		return v >= wanted
	case ">":
		return v > wanted
	case "<=":
		return v <= wanted
	case "<":
		return v < wanted
	case "==":
		return v == wanted
	default: // !=, by Parse
		return v != wanted
	}
}
