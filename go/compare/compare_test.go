package compare

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/metric"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

func one(d ...Document) []Document { return d }

// TestChange: the same values times 1.1 are a change of 10 %.
func TestChange(t *testing.T) {
	c := must(t, Options{Old: one(old(t, nil)), New: one(faster(t, nil))})
	if len(c.Rows) != 1 || len(c.Rows[0].Figures) != 1 || len(c.Differences) != 0 || c.Rows[0].Name != "all" {
		t.Fatalf("%+v", c)
	}
	f := c.Rows[0].Figures[0]
	if f.Metric != "iops" || *f.Old.Median != 102.5 || *f.Old.Low != 100 || *f.Old.High != 105 || math.Abs(*f.New.Median-112.75) > 1e-9 {
		t.Errorf("%+v", f)
	}
	if math.Abs(*f.Change-10) > 1e-9 || !(*f.ChangeLow > 5 && *f.ChangeLow < 10 && *f.ChangeHigh > 10 && *f.ChangeHigh < 15) {
		t.Errorf("change %v (%v to %v)", *f.Change, *f.ChangeLow, *f.ChangeHigh)
	}
	if f.Verdict != result.VerdictBetter || math.Abs(*f.P-2.0/924) > 1e-9 { // 2 of 12 choose 6
		t.Errorf("%s, p=%v", f.Verdict, *f.P)
	}
	back := must(t, Options{Old: one(faster(t, nil)), New: one(old(t, nil))}).Rows[0].Figures[0]
	if back.Verdict != result.VerdictWorse || math.Abs((1+*back.Change/100)*(1+*f.Change/100)-1) > 1e-9 {
		t.Errorf("backwards: %+v", back)
	}
	same := must(t, Options{Old: one(old(t, nil)), New: one(old(t, nil))})
	if v := same.Rows[0].Figures[0].Verdict; v != result.VerdictSame || len(same.Notes) > 0 {
		t.Errorf("against itself: %s, %v", v, same.Notes)
	}
}

// TestFewRuns: three a side show nothing, and the note says what it takes.
func TestFewRuns(t *testing.T) {
	for n, want := range map[int]string{1: "too-few", 3: "too-few", 4: "few", 5: "few", 6: ""} {
		a, b := []float64{100, 101, 102, 103, 104, 105}[:n], []float64{200, 201, 202, 203, 204, 205}[:n]
		c := must(t, Options{Old: one(doc(t, nil, a...)), New: one(doc(t, nil, b...))})
		f := c.Rows[0].Figures[0]
		if (f.Verdict == result.VerdictFew) != (n < 4) || (f.ChangeLow == nil) != (n < 4) || (f.Old.Low == nil) != (n < 6) {
			t.Errorf("%d: %+v", n, f)
		}
		found := ""
		for _, note := range c.Notes {
			if strings.Contains(note.Code, "few") {
				found = note.Code
				if !strings.Contains(note.Text, "--repeat 6") {
					t.Errorf("%d: %s", n, note.Text)
				}
			}
		}
		if found != want {
			t.Errorf("%d: note %q, want %q", n, found, want)
		}
	}
}

// TestSeveralDocuments: runs without repeats are samples too, partial repeats
// are none.
func TestSeveralDocuments(t *testing.T) {
	partial := doc(t, func(r *result.Result) {
		r.Repeats[1].Partial = true
		r.End.Reason = "signal"
		r.Summary.Total.Failed = 1
		r.Checks = []result.Check{{Code: "polled", State: result.CheckFail, Text: "it was not"}}
	}, 100, 5)
	c := must(t, Options{Old: one(doc(t, nil, 101), doc(t, nil, 102), partial), New: one(old(t, nil))})
	if d := cmp.Diff([]float64{101, 102, 100}, c.Rows[0].Figures[0].Old.Values); d != "" || c.Old.Samples != 3 {
		t.Error(d)
	}
	var codes []string
	for _, w := range c.Warnings {
		codes = append(codes, w.Code)
	}
	if d := cmp.Diff([]string{"errors", "interrupted", "partial", "check"}, codes); d != "" {
		t.Error(d)
	}
}

// TestRefused: what cannot be compared, in one sentence of status 2.
func TestRefused(t *testing.T) {
	a := old(t, nil)
	again := a
	again.Name = "copy.json"
	for want, o := range map[string]Options{
		"copy.json on the new side and " + a.Name + " on the old one": {Old: one(a), New: one(again)},
		a.Name + " and copy.json are the same run":                    {Old: one(a, again), New: one(old(t, nil))},
		"depth (-d) 128 against 64":                                   {Old: one(old(t, nil)), New: one(old(t, depth(64)))},
		"block size (-b) 4096 against 512":                            {Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) { r.Spec.BlockSize = 512 }))},
		"operation read against nop":                                  {Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) { r.Spec.Op = result.OpNop }))},
		"submitters (-n) 1 against 2":                                 {Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) { r.Spec.Threads = 2 }))},
		"random (-R) true against false":                              {Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) { r.Spec.Random = false }))},
		"targets /dev/nvme0n1 against f":                              {Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) { r.Spec.Targets = []string{"f"} }))},
		"size 1073741824 against 5":                                   {Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) { r.Targets[0].SizeBytes = 5 }))},
		"no configuration is on both sides: old has -d1, -d2, new has -d3, -d4": {
			Old: one(old(t, depth(1)), old(t, depth(2))), New: one(old(t, depth(3)), old(t, depth(4))),
		},
		"old has all (no complete run)": {Old: one(doc(t, func(r *result.Result) { r.Repeats = nil }, 1, 2)), New: one(old(t, nil))},
	} {
		_, err := Sides(o)
		var e *result.Error
		if !errors.As(err, &e) || e.Status != result.StatusUsage || !strings.Contains(e.Text, want) {
			t.Errorf("%v, want %q", err, want)
			continue
		}
		if strings.Contains(e.Text, " against ") {
			if o.Force = true; !must(t, o).Forced {
				t.Errorf("%q was not forced", want)
			}
		}
	}
	if must(t, Options{Old: one(a), New: one(old(t, nil)), Force: true}).Forced {
		t.Error("forced, and it was not needed")
	}
}

// TestBandwidth is there where block sizes differ, or where it was asked for.
func TestBandwidth(t *testing.T) {
	large := faster(t, func(r *result.Result) { r.Spec.BlockSize = 8192 })
	for _, c := range []struct {
		o    Options
		want int
	}{
		{Options{Old: one(old(t, nil)), New: one(faster(t, nil))}, 1},
		{Options{Old: one(old(t, nil)), New: one(large), Force: true}, 2},
		{Options{Old: one(old(t, nil)), New: one(faster(t, nil)), Conditions: []Condition{condition(t, "bandwidth<-1%")}}, 2},
	} {
		if n := len(must(t, c.o).Rows[0].Figures); n != c.want {
			t.Errorf("%d figures, want %d", n, c.want)
		}
	}
}

// TestMissing: a metric of one side is shown and explained, one of none is not.
func TestMissing(t *testing.T) {
	with := faster(t, func(r *result.Result) {
		for i := range r.Repeats[:5] {
			r.Repeats[i].Latency = &result.Latency{Percentiles: []result.Percentile{{Percent: 99, NS: 5}}}
		}
	})
	c := must(t, Options{Old: one(old(t, nil)), New: one(with)})
	f := c.Rows[0].Figures[1]
	if len(c.Rows[0].Figures) != 2 || f.Metric != "p99" || f.Change != nil || f.Old.Median != nil || f.Verdict != result.VerdictFew {
		t.Errorf("%+v", c.Rows[0].Figures)
	}
	for _, want := range []string{
		"not measured on the old side, or 0: p99 latency\n", "not measured on the new side, or 0: p99 latency (in 1 of 6 runs)",
	} {
		if !strings.Contains(texts(c.Notes), want) {
			t.Errorf("%q lacks %q", texts(c.Notes), want)
		}
	}
}

// TestNotInAllRuns: runs in which nothing was completed, or in which a figure is
// too small to be seen, must not leave a comparison of the others.
func TestNotInAllRuns(t *testing.T) {
	c := must(t, Options{Old: one(old(t, nil)), New: one(doc(t, nil, 110, 111, 112, 113, 0, 0)), Conditions: []Condition{condition(t, "iops>5%")}})
	f := c.Rows[0].Figures[0]
	if f.Verdict != result.VerdictSome || f.ChangeLow != nil || f.P != nil || *f.Change < 5 || len(c.Conditions[0].Fired) > 0 {
		t.Errorf("%+v, %+v", f, c.Conditions)
	}
	c = must(t, Options{
		Old: one(old(t, depth(1)), old(t, depth(2)), old(t, depth(4))),
		New: one(faster(t, depth(1)), faster(t, depth(2)), doc(t, depth(4), 1, 1, 1, 0)),
	})
	if len(c.Geomeans) != 1 || c.Geomeans[0].Rows != 2 || math.Abs(c.Geomeans[0].Change-10) > 1e-9 {
		t.Errorf("%+v", c.Geomeans)
	}
	c = must(t, Options{Old: one(old(t, nil)), New: one(doc(t, nil, 110, 111, 112, 113, 0, 0))})
	if want := "not measured on the new side, or 0: IOPS (in 2 of 6 runs)"; !strings.Contains(texts(c.Notes), want) {
		t.Errorf("%q lacks %q", texts(c.Notes), want)
	}
}

// TestAbsurdChange: whatever a document holds, a comparison can be written.
func TestAbsurdChange(t *testing.T) {
	small, large := []float64{1e-300, 1e-300, 1e-300, 1e-300}, []float64{1e300, 1e300, 1e300, 1e300}
	c := must(t, Options{Old: one(doc(t, nil, small...)), New: one(doc(t, nil, large...))})
	if v := *c.Rows[0].Figures[0].ChangeHigh; v != math.MaxFloat64 {
		t.Error(v)
	}
}

func texts(notes []result.Note) string {
	var b strings.Builder
	for _, n := range notes {
		b.WriteString(n.Text + "\n")
	}
	return b.String()
}

// TestInBlocks: a change between two blocks of runs is said to be one, a change
// between runs that took turns is not.
func TestInBlocks(t *testing.T) {
	a, b, c, d := old(t, nil), faster(t, nil), old(t, nil), faster(t, nil)
	for _, in := range []struct {
		old, new []Document
		want     bool
	}{
		{one(a), one(b), true},
		{one(b), one(a), true},
		{one(a, c), one(b, d), false},
		{one(a), one(c), false}, // no change
	} {
		notes := must(t, Options{Old: in.old, New: in.new}).Notes
		if got := strings.Contains(texts(notes), "in one go"); got != in.want {
			t.Errorf("%v: %s", in.want, texts(notes))
		}
	}
}

// TestClustered: where documents differ by more than their repeats, the repeats
// are not the samples that they are taken for.
func TestClustered(t *testing.T) {
	at := func(levels ...float64) (docs []Document) {
		for _, l := range levels {
			docs = append(docs, doc(t, nil, l, l+1, l+2, l+3))
		}
		return docs
	}
	for _, c := range []struct {
		old, new []Document
		want     bool
	}{
		{at(100, 110, 105), at(120, 125, 130), true},
		{at(100, 101, 100.5), at(120, 120.5, 121), false},
		{at(100), at(120), false},
		{at(100, 110, 105), at(110, 105, 100.5), false}, // no change
	} {
		notes := must(t, Options{Old: c.old, New: c.new}).Notes
		if got := strings.Contains(texts(notes), "promise too much"); got != c.want {
			t.Errorf("%v: %s", c.want, texts(notes))
		}
	}
}

// TestOldDocuments: what older tools did not record is unknown, no difference.
func TestOldDocuments(t *testing.T) {
	for _, name := range []string{"1-nop", "1-files"} {
		text, err := os.ReadFile("../result/testdata/old/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		past := read(t, text)
		now := old(t, func(r *result.Result) {
			*r = *past.Result
			r.Started += "later"
			r.Usage = nil
		})
		c := must(t, Options{Old: one(past), New: one(now)})
		if len(c.Differences) != 0 || !contains(c.OnlyNew, "spec.warmup_ns") || len(c.OnlyOld) != 0 {
			t.Errorf("%s: %+v, %q, %q", name, c.Differences, c.OnlyOld, c.OnlyNew)
		}
	}
}

func contains(list []string, s string) bool {
	return strings.Contains(strings.Join(list, "\n")+"\n", s+"\n")
}

// TestMetricsAreKnown: what All lists can be judged.
func TestMetricsAreKnown(t *testing.T) {
	for _, name := range metric.Names() {
		condition(t, name+" > 1%")
	}
}

// TestVerdict: more is better of some figures and worse of others; neither p nor
// the interval is enough alone.
func TestVerdict(t *testing.T) {
	up := stats.Effect{Log: 0.1, Low: 0.05, High: 0.2, Known: true, P: 0.01}
	down := stats.Effect{Log: -0.1, Low: -0.2, High: -0.05, Known: true, P: 0.05}
	unlikely, across, unknown := up, up, up
	unlikely.P, across.Low, unknown.Known = 0.051, 0, false
	for _, c := range []struct {
		effect stats.Effect
		higher bool
		want   string
	}{
		{up, true, result.VerdictBetter},
		{up, false, result.VerdictWorse},
		{down, true, result.VerdictWorse},
		{down, false, result.VerdictBetter},
		{unlikely, true, result.VerdictSame},
		{across, true, result.VerdictSame},
		{unknown, true, result.VerdictFew},
	} {
		f := result.ComparedFigure{Verdict: result.VerdictFew}
		judge(&f, c.higher, c.effect)
		if f.Verdict != c.want || (f.ChangeLow == nil) == c.effect.Known {
			t.Errorf("%+v: %s, want %s", c.effect, f.Verdict, c.want)
		}
	}
}
