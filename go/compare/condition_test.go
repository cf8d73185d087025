package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
)

func TestBadConditions(t *testing.T) {
	for text, want := range map[string]string{
		"":               "an operator is missing: write METRIC OPERATOR CHANGE",
		"iops":           "an operator is missing",
		"< -2%":          "a metric is missing",
		"iop < -2%":      "did you mean iops? there are iops, bandwidth",
		"latency < 1%":   `there is no metric "latency": there are iops`,
		"iops == -2%":    `"==" is no operator`,
		"iops =< -2%":    `"=<" is no operator`,
		"iops != 1%":     `"!=" is no operator`,
		"iops < -2":      `"-2" is not a change in percent: write -2% or +5%`,
		"iops <":         `"" is not a change`,
		"iops < %":       `"%" is not a change`,
		"iops < two%":    "is not a change",
		"iops < 0x1p3%":  "is not a change",
		"iops < inf%":    "is not a change",
		"iops < nan%":    "is not a change",
		"iops < 1e3%":    "is not a change",
		"iops < -2%%":    "is not a change",
		"iops < -100%":   "no change is as low as -100%",
		"iops > -2% 3":   "is not a change",
		"iops < -2% > 1": "is not a change",
	} {
		_, err := ParseCondition(text)
		var e *result.Error
		if !errors.As(err, &e) || e.Status != result.StatusUsage || !strings.Contains(e.Text, want) || !strings.HasPrefix(e.Text, "--fail-if ") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestConditions: one fires where the whole interval lies beyond the limit.
func TestConditions(t *testing.T) {
	up := Options{Old: one(old(t, nil)), New: one(faster(t, nil))} // +10 %, about +5 to +15
	down := Options{Old: one(faster(t, nil)), New: one(old(t, nil))}
	for _, c := range []struct {
		o     Options
		text  string
		fires bool
	}{
		{up, "iops > +2%", true},
		{up, " iops>2 % ", true},
		{up, "iops >= 2%", true},
		{up, "iops >= 12%", false},
		{up, "iops <= 8%", false},
		{up, "iops < 12%", false},
		{up, "iops > 9%", false}, // the estimate is beyond, the interval is not
		{up, "iops > 20%", false},
		{up, "iops < 20%", true},
		{up, "iops <= 20%", true},
		{up, "iops < -2%", false},
		{down, "iops < -2%", true},
		{down, "iops < -9%", false},
		{down, "iops < -30.5%", false},
		{down, "iops > -30%", true},
	} {
		o := c.o
		o.Conditions = []Condition{condition(t, c.text)}
		got := must(t, o).Conditions[0]
		if (len(got.Fired) > 0) != c.fires || (got.Outcome != "") != c.fires || len(got.Untried) > 0 {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}

// TestConditionIsUndecided: too few runs, or a metric that not all of them have.
func TestConditionIsUndecided(t *testing.T) {
	few := Options{Old: one(doc(t, nil, 100, 100, 100)), New: one(doc(t, nil, 1, 1, 1))}
	few.Conditions = []Condition{condition(t, "iops < -2%"), condition(t, "system > 2%")}
	seen, none := int64(300), int64(0)
	for i, ns := range []*int64{&seen, nil, &none} {
		u := &result.Usage{Total: result.ThreadUsage{Completed: 100, SystemNS: ns}}
		few.Old[0].Result.Repeats[i].Usage, few.New[0].Result.Repeats[i].Usage = u, u
	}
	why := []string{
		"iops was not measured often enough for an interval: it takes 4 runs a side", "system was not measured in all runs, or is 0 in some",
	}
	for i, c := range must(t, few).Conditions {
		if len(c.Fired) > 0 || !slices.Equal(c.Untried, []string{"all"}) || c.Outcome != why[i] {
			t.Errorf("%+v, want %s", c, why[i])
		}
	}
}

// TestConditionIsImpossible: a metric that no configuration has is a slip.
func TestConditionIsImpossible(t *testing.T) {
	for text, why := range map[string]string{"p99 > 2%": "latencies need -t1", "cycles > 2%": "hardware counters", "cpu > 2%": "on both sides"} {
		_, err := Sides(Options{Old: one(old(t, nil)), New: one(faster(t, nil)), Conditions: []Condition{condition(t, text)}})
		var e *result.Error
		if !errors.As(err, &e) || e.Status != result.StatusUsage || !strings.Contains(e.Text, why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestConditionInRows: any row may fire, by its name.
func TestConditionInRows(t *testing.T) {
	o := Options{
		Old:        one(old(t, depth(1)), faster(t, depth(2)), doc(t, depth(4), 1, 2), old(t, depth(8))),
		New:        one(old(t, depth(1)), old(t, depth(2)), doc(t, depth(4), 1, 2)),
		Conditions: []Condition{condition(t, "iops < -2%")},
	}
	c := must(t, o).Conditions[0]
	if !slices.Equal(c.Fired, []string{"-d2"}) || !slices.Equal(c.Untried, []string{"-d4"}) || !strings.Contains(c.Outcome, "with -d2, all of it < -2%") {
		t.Errorf("%+v", c)
	}
}
