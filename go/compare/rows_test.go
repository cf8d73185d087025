package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// TestRows: settings that vary within a side make rows, whatever their order,
// named by what tells them apart.
func TestRows(t *testing.T) {
	small := func(r *result.Result) { r.Spec.Depth, r.Spec.SubmitBatch, r.Spec.CompleteBatch = 4, 4, 4 }
	c := must(t, Options{
		Old: one(old(t, depth(128)), old(t, small), old(t, depth(64))),
		New: one(faster(t, small), old(t, depth(128)), old(t, depth(256))),
	})
	var got []string
	for _, r := range c.Rows {
		verdict := ""
		if len(r.Figures) > 0 {
			verdict = r.Figures[0].Verdict
		}
		got = append(got, r.Name+" "+verdict)
	}
	if d := cmp.Diff([]string{"-d4 better", "-d64 ", "-d128 " + result.VerdictSame, "-d256 "}, got); d != "" {
		t.Error(d)
	}
	if len(c.Geomeans) != 1 || math.Abs(c.Geomeans[0].Change-100*(math.Sqrt(1.1)-1)) > 1e-9 || c.Geomeans[0].Rows != 2 {
		t.Errorf("%+v", c.Geomeans)
	}
	if c.Rows[0].Settings["spec.submit_batch"] != "4" || c.Rows[1].Old != 6 || c.Rows[1].New != 0 {
		t.Errorf("%+v", c.Rows)
	}
	// What varies in one side only is matched by its value.
	c = must(t, Options{Old: one(old(t, depth(64)), old(t, depth(128))), New: one(old(t, depth(128)))})
	if len(c.Rows) != 2 || len(c.Rows[1].Figures) == 0 || len(c.Geomeans) != 0 {
		t.Errorf("%+v", c.Rows)
	}
}

// TestManyRows: of many tests some find what is not there, and sentences about
// many rows end.
func TestManyRows(t *testing.T) {
	sweep := func(n int) Options {
		o := Options{Conditions: []Condition{condition(t, "iops > 5%")}}
		for d := range n {
			o.Old, o.New = append(o.Old, old(t, depth(d+1))), append(o.New, faster(t, depth(d+1)))
		}
		return o
	}
	c := must(t, sweep(40))
	if want := "of the 40 tests here up to 2 would"; !strings.Contains(texts(c.Notes), want) {
		t.Errorf("%q lacks %q", texts(c.Notes), want)
	}
	if k := c.Conditions[0]; len(k.Fired) != 40 || !strings.Contains(k.Outcome, "with -d6; and 34 more, all of it > +5%") {
		t.Errorf("%+v", k)
	}
	few := sweep(40)
	for d := range few.New {
		few.New[d] = doc(t, depth(d+1), 1, 2)
	}
	if k := must(t, few).Conditions[0]; len(k.Untried) != 40 || !strings.Contains(k.Outcome, "-d6, and 34 more was not measured") {
		t.Errorf("%+v", k)
	}
	if c = must(t, sweep(7)); strings.Contains(texts(c.Notes), "tests here") || !strings.Contains(c.Conditions[0].Outcome, "with -d7, all") {
		t.Errorf("%q, %+v", texts(c.Notes), c.Conditions[0])
	}
}

// TestSweepOfOneBatch: the submission batch follows the depth on one side and is
// 1 on the other; that is the treatment, not a configuration of its own.
func TestSweepOfOneBatch(t *testing.T) {
	batch := func(d, s int) func(*result.Result) {
		return func(r *result.Result) { r.Spec.Depth, r.Spec.SubmitBatch, r.Spec.CompleteBatch = d, s, min(d, 32) }
	}
	c := must(t, Options{
		Old: one(old(t, batch(1, 1)), old(t, batch(8, 8)), old(t, batch(64, 32))),
		New: one(old(t, batch(1, 1)), old(t, batch(8, 1)), old(t, batch(64, 1)), old(t, batch(128, 1))),
	})
	var names []string
	for _, r := range c.Rows {
		names = append(names, fmt.Sprint(r.Name, " ", len(r.Figures)))
	}
	if d := cmp.Diff([]string{"-d1 1", "-d8 1", "-d64 1", "-d128 0"}, names); d != "" {
		t.Error(d)
	}
	want := []string{
		`settings/spec.submit_batch/submission batch (-s): ["8"] ["1"] ["-d8"]`,
		`settings/spec.submit_batch/submission batch (-s): ["32"] ["1"] ["-d64"]`,
	}
	if d := cmp.Diff(want, told(c.Differences)); d != "" {
		t.Error(d)
	}
	// Where a side itself varies them at one depth they are configurations.
	c = must(t, Options{Old: one(old(t, batch(64, 32)), old(t, batch(64, 1))), New: one(old(t, batch(64, 1)), old(t, batch(64, 8)))})
	if len(c.Rows) != 3 || c.Rows[0].Name != "-s1" || len(c.Rows[0].Figures) != 1 {
		t.Errorf("%+v", c.Rows)
	}
}
