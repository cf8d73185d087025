package report

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
)

// abRun is a comparison of two arms, polled against not, after a pair and after
// ten of them.
func abRun(pairs int) *result.AB {
	base := baseRun()
	base.Spec.Seed = 7
	slow := baseRun()
	slow.Spec.Polled, slow.Granted.Polled = result.ChoiceNo, false
	r := &result.AB{
		Schema: result.ABSchemaVersion, Tool: base.Tool, System: base.System, Started: base.Started,
		Command: []string{"ringpeak", "ab", "/dev/nvme1n1", "--a", "-p0", "--b", "-p1"},
		Plan:    result.ABPlan{Pairs: 10, SliceNS: second / 2, SettleNS: second / 10, Seed: 42},
		Arms: []result.ABArm{
			{Name: "a", Flags: "-p0", Args: []string{"--polled=0", "--", "/dev/nvme1n1"}},
			{Name: "b", Flags: "-p1", Args: []string{"--polled=1", "--", "/dev/nvme1n1"}},
		},
	}
	if pairs == 0 {
		return r
	}
	for i, of := range []*result.Result{slow, base} {
		a := &r.Arms[i]
		a.Tool, a.Spec, a.Granted, a.Targets = &of.Tool, &of.Spec, &of.Granted, of.Targets
		v := 1e6 * float64(4+i)
		a.Figures = []result.ArmFigure{
			{Metric: "iops", Unit: "per_second", N: pairs, Median: v, Q1: 0.99 * v, Q3: 1.02 * v, Min: 0.9 * v, Max: 1.1 * v},
			{Metric: "p99", Unit: "ns", N: pairs, Median: 45000 - 9000*float64(i), Q1: 40000, Q3: 46000, Min: 30000, Max: 60000},
			{Metric: "instructions", Unit: "count_per_io", N: pairs, Median: 3071.25, Q1: 3071, Q3: 3072, Min: 3070, Max: 3080},
		}
	}
	r.Pairs = pairs
	for i := range pairs {
		r.Slices = append(r.Slices,
			result.Slice{Pair: i + 1, Arm: "b", Started: base.Started, Seed: uint64(i), Values: map[string]float64{"iops": 5.01e6, "p99": 36000}},
			result.Slice{Pair: i + 1, Arm: "a", Started: base.Started, Seed: uint64(i), Values: map[string]float64{"iops": 4e6, "p99": 45000}})
	}
	o := result.ABResult{Arm: "b", Against: "a", Verdict: result.ABInconclusive, Text: "inconclusive: b against a +25.0% after 1 pair, of the 6 that it takes at least"}
	o.Effects = []result.Effect{
		{Metric: "iops", Unit: "per_second", Better: "higher", Pairs: pairs, Change: 25.03, P: 1},
		{Metric: "p99", Unit: "ns", Better: "lower", Pairs: pairs, Change: -20, P: 1},
		{Metric: "instructions", Unit: "count_per_io", Better: "lower", Pairs: pairs, Change: 0.01, P: 1},
	}
	if pairs >= 6 {
		bounds := [][2]float64{{24.51, 25.61}, {-25, -12}, {-0.03, 0.04}}
		for i := range o.Effects {
			e := &o.Effects[i]
			e.Low, e.High, e.P, e.Significant = &bounds[i][0], &bounds[i][1], 0.00195, i < 2
		}
		o.Effects[2].Pairs-- // in one of them it was not counted
		o.Effects[2].Low, o.Effects[2].High, o.Effects[2].P = nil, nil, 1
		o.Verdict, o.Text = result.ABFaster, "b is faster than a by 25.0% (95%: +24.5% to +25.6%), 10 pairs"
	}
	r.Outcomes = []result.ABResult{o}
	r.End = result.End{Reason: "pairs", Drained: true}
	return r
}

// followAB gives a reporter what it is given of a comparison.
func followAB(t *AB, list ...*result.AB) (err error) {
	if err = t.Started(abRun(0)); err != nil {
		return err
	}
	for _, r := range list {
		err = t.Paired(r)
	}
	return errors.Join(err, t.Finished(list[len(list)-1]))
}

func TestABGolden(t *testing.T) {
	var b bytes.Buffer
	if err := followAB(NewAB(&b), abRun(1), abRun(10)); err != nil {
		t.Fatal(err)
	}
	compare(t, "testdata/ab.txt", b.String())

	b.Reset()
	r := abRun(10)
	r.Plan.AA, r.Plan.Precision = true, new(float64)
	*r.Plan.Precision = 1
	r.Noise = &result.ABNoise{Floor: 0.55, Pairs: 10, SpreadOfSlices: 8.2, Detectable: []result.Detectable{{Pairs: 10, Change: 0.78}, {Pairs: 20, Change: 0.5}}}
	r.Arms[0].Checks = []result.ArmCheck{{Code: "polled", State: result.CheckFail, Slices: 3, Text: "1 interrupt for each completion"}}
	r.Slices = append(r.Slices, result.Slice{Pair: 11, Arm: "a", Started: r.Started, Discarded: "it was stopped"})
	r.End.Reason = "signal"
	if err := followAB(NewAB(&b), r); err != nil {
		t.Fatal(err)
	}
	compare(t, "testdata/ab-aa.txt", b.String())
}

// TestABSettings: "the same" is said of arms that are, and of no others; rows
// are compared by what they say and not by where they stand.
func TestABSettings(t *testing.T) {
	rest := func(change func(a, b *result.ABArm)) string {
		var out bytes.Buffer
		r := abRun(1)
		first := r.Arms[0]
		first.Name, first.Targets = "b", slices.Clone(first.Targets)
		r.Arms[1] = first
		change(&r.Arms[0], &r.Arms[1])
		if err := followAB(NewAB(&out), r); err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(out.String(), "\narm b\n")
		text, _, _ = strings.Cut(text, "\n\npair ")
		return text
	}
	for name, c := range map[string]struct {
		change func(a, b *result.ABArm)
		want   string
	}{
		"nothing":                  {func(a, b *result.ABArm) {}, "  the same"},
		"a flag that no row shows": {func(a, b *result.ABArm) { b.Flags = "-n2" }, "  as arm a, but for its flags"},
		"fewer targets": {func(a, b *result.ABArm) {
			second := a.Targets[0]
			second.Path = "/dev/other"
			a.Targets, a.Flags = append(slices.Clone(a.Targets), second), "/dev/other"
		}, "  as arm a, but for its flags"},
		"a row more, before others": {func(a, b *result.ABArm) { b.Binary = "./before" }, "  binary"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rest(c.change); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
				t.Errorf("arm b is shown as %q, want one line %q", got, c.want)
			}
		})
	}
}

// TestABDocument is valid, whatever there is.
func TestABDocument(t *testing.T) {
	for _, pairs := range []int{0, 1, 10} {
		var b bytes.Buffer
		if err := WriteAB(&b, abRun(pairs)); err != nil {
			t.Fatal(err)
		}
		if err := schematest.ValidateAB(b.Bytes()); err != nil {
			t.Errorf("%d pairs: %v", pairs, err)
		}
		if !IsDocument(b.Bytes()[:min(b.Len(), 4096)]) {
			t.Error("it would not be replaced by the next one")
		}
	}
}

// TestABBrokenWriter: the error of a writer comes back.
func TestABBrokenWriter(t *testing.T) {
	for n := range 12 {
		if err := followAB(NewAB(&full{left: n}), abRun(1), abRun(10)); err == nil {
			t.Errorf("no error after %d lines", n)
		}
	}
}

// TestABBenchstat: benchstat compares the arms of a comparison, of which slices
// that were discarded are no part.
func TestABBenchstat(t *testing.T) {
	r := abRun(0)
	var results []*result.Result
	slice := func(pair int, arm string, rate float64, discarded string) {
		run := sampledRun(rate)
		p := run.Repeats[0]
		run.Spec.Repeat, run.Repeats, run.Summary, run.Latency, run.Usage = 1, nil, p.Summary, p.Latency, p.Usage
		if run.Granted.Polled = arm == "b"; !run.Granted.Polled {
			run.Spec.Polled = result.ChoiceNo
		}
		r.Slices = append(r.Slices, result.Slice{Pair: pair, Arm: arm, Discarded: discarded})
		results = append(results, run)
	}
	before, after := noisy(10, 5.8e6, 0.005, 1), noisy(10, 6.1e6, 0.005, 2)
	for i := range before {
		slice(i+1, "b", after[i], "")
		slice(i+1, "a", before[i], "")
	}
	slice(11, "b", 1, "its pair was not completed")
	r.Slices = append(r.Slices, result.Slice{Pair: 11, Arm: "a", Discarded: "it failed"})
	results = append(results, nil)
	file := t.TempDir() + "/ab.txt"
	if err := SaveABBench(file, r, results); err != nil {
		t.Fatal(err)
	}
	checkFaster(t, benchstat(t, "-format", "csv", "-col", "/arm", file), benchNameUsual, 6.1/5.8)
}
