package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
)

func num(v float64) *float64 { return &v }

// comparedAs is one of n values a side, with intervals from six on.
func comparedAs(name, title, unit, better string, old, new float64, n int, verdict string, change, low, high, p float64) result.ComparedFigure {
	values := make([]float64, n)
	f := result.ComparedFigure{
		Metric: name, Title: title, Unit: unit, Better: better, Verdict: verdict, Change: &change, P: &p,
		Old: result.MedianOf{Values: values, Median: &old}, New: result.MedianOf{Values: values, Median: &new},
	}
	if n >= 4 {
		f.ChangeLow, f.ChangeHigh = &low, &high
	}
	if n >= 6 {
		f.Old.Low, f.Old.High = num(old*0.99), num(old*1.01)
		f.New.Low, f.New.High = num(new*0.985), num(new*1.02)
	}
	return f
}

// onceCompared is one configuration with all that can be said of it.
func onceCompared() *result.Comparison {
	return &result.Comparison{
		Schema: result.ComparisonSchemaVersion, Tool: result.Tool{Version: "0.1.0"}, Command: []string{"ringpeak", "compare", "a.json", "b|1.json"},
		Old: result.ComparedSide{Samples: 6, Documents: []result.ComparedDocument{{Path: "a.json", Started: "2026-12-01T00:00:00Z", Samples: 6}}},
		New: result.ComparedSide{Samples: 6, Documents: []result.ComparedDocument{
			{Path: "b|1.json", Started: "2026-12-01T00:02:00Z", Samples: 3}, {Path: "b2.json", Started: "2026-12-01T00:01:00Z", Samples: 3},
		}},
		Forced: true,
		Differences: []result.Difference{
			{Group: "settings", Path: "spec.block_size_bytes", Title: "block size (-b)", Old: []string{"4096"}, New: []string{"512"}, Between: true, OtherWork: true},
			{Group: "settings", Path: "spec.fixed_buffers", Title: "fixed buffers (-B)", Old: []string{"true"}, New: []string{"false"}, Between: true},
			{Group: "settings", Path: "spec.runtime_ns", Title: "runtime", Old: []string{"10000000000"}, New: []string{"90000000000"}, Between: true},
			{Group: "kernel", Path: "system.kernel", Title: "release", Old: []string{"6.1.0"}, New: []string{"6.12.0", "6.12.1"}, Between: true},
			{
				Group: "kernel", Path: "system.kernel_cmdline", Title: "command line",
				Old: []string{"root=/dev/vda1 quiet mitigations=auto nvme.poll_queues=4"}, New: []string{"root=/dev/vda1 quiet nvme.poll_queues=4 mitigations=off isolcpus=3"}, Between: true,
			},
			{Group: "machine", Path: "system.environment.smt_active", Title: "smt active", Old: []string{"true", "false"}, New: []string{"true", "false"}},
		},
		OnlyNew:  []string{"spec.warmup_ns", "system.environment.*"},
		Warnings: []result.Note{{Code: "errors", Text: "old: a.json: 3 I/Os failed"}},
		Notes:    []result.Note{{Code: "missing", Text: "not measured on the old side: p99 latency"}},
		Rows: []result.ComparedRow{{
			Name: "all", Settings: map[string]string{}, Old: 6, New: 6,
			Figures: []result.ComparedFigure{
				comparedAs("iops", "IOPS", "per_second", "higher", 5.8e6, 6.08e6, 6, result.VerdictBetter, 4.8, 3.1, 6.5, 0.00216),
				comparedAs("bandwidth", "bandwidth", "bytes_per_second", "higher", 5.8e6*4096, 6.08e6*512, 6, result.VerdictWorse, -86.9, -87.1, -86.7, 0.0001),
				comparedAs("p50", "p50 latency", "ns", "lower", 21500, 21000, 6, result.VerdictSame, -0.001, -4.2, 1.7, 0.394),
				{Metric: "p99", Title: "p99 latency", Unit: "ns", Better: "lower", Verdict: result.VerdictFew, New: result.MedianOf{Values: []float64{90e3}, Median: num(90e3)}},
				comparedAs("cpu", "CPU time per I/O", "ns_per_io", "lower", 150, 310.2, 6, result.VerdictWorse, 106.8, 101, 112, 0.002),
				comparedAs("cycles", "cycles per I/O", "count_per_io", "lower", 700, 650, 6, result.VerdictBetter, -7.14, -9.9, -5, 0.002),
			},
		}},
		Conditions: []result.ComparedCondition{
			{Text: "iops < -2%", Metric: "iops", Operator: "<", Limit: -2},
			{Text: "cpu>5%", Metric: "cpu", Operator: ">", Limit: 5, Fired: []string{"all"}, Outcome: "cpu +106.80% (+101.00% to +112.00%), all of it > +5%"},
			{Text: "p99>5%", Metric: "p99", Operator: ">", Limit: 5, Untried: []string{"all"}, Outcome: "p99 was not measured often enough for an interval: it takes 4 runs a side"},
		},
	}
}

// sweepCompared is a sweep against a sweep, with too few runs for medians'
// intervals, and for anything in one of them.
func sweepCompared() *result.Comparison {
	row := func(name string, old, new float64, n int, verdict string, change, low, high, p float64) result.ComparedRow {
		return result.ComparedRow{Name: name, Settings: map[string]string{"spec.depth": name[2:]}, Old: n, New: n, Figures: []result.ComparedFigure{
			comparedAs("iops", "IOPS", "per_second", "higher", old, new, n, verdict, change, low, high, p),
		}}
	}
	c := &result.Comparison{
		Schema: result.ComparisonSchemaVersion,
		Rows: []result.ComparedRow{
			row("-d1", 52e3, 51e3, 4, result.VerdictWorse, -1.9, -2.6, -1.2, 0.029),
			row("-d16", 0.61e6, 0.66e6, 4, result.VerdictBetter, 8.2, 7.7, 8.8, 0.029),
			{Name: "-d64", Settings: map[string]string{"spec.depth": "64"}, New: 1},
			row("-d128", 5.8e6, 5.81e6, 2, result.VerdictFew, 0.17, 0, 0, 0.67),
		},
		Geomeans: []result.Geomean{{Metric: "iops", Change: 2.06, Rows: 3}},
	}
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		c.Old.Documents = append(c.Old.Documents, result.ComparedDocument{Path: "old/" + name + ".json", Started: "2026-12-01T00:00:0" + name + "Z", Samples: 1})
		c.Old.Samples++
	}
	c.New = result.ComparedSide{Samples: 11, Documents: c.Old.Documents[:1]}
	return c
}

func comparisons() map[string]*result.Comparison {
	return map[string]*result.Comparison{"once": onceCompared(), "sweep": sweepCompared()}
}

func renderComparison(t *testing.T, format string, c *result.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteComparison(&b, format, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComparisonGolden(t *testing.T) {
	for name, c := range comparisons() {
		for _, format := range ComparisonFormats() {
			t.Run(name+"/"+format, func(t *testing.T) {
				compare(t, filepath.Join("testdata", "compare", name+"."+format), renderComparison(t, format, c))
			})
		}
	}
}

// TestComparisonShape: what every output of a format has, whatever is compared.
func TestComparisonShape(t *testing.T) {
	for name, c := range comparisons() {
		text := strings.Split(strings.TrimSuffix(renderComparison(t, "text", c), "\n"), "\n")
		if last := text[len(text)-1]; !strings.HasPrefix(last, "iops ") {
			t.Errorf("%s ends in %q", name, last)
		}
		for _, l := range text {
			if strings.TrimRight(l, " ") != l {
				t.Errorf("%s: blanks at the end of %q", name, l)
			}
		}
		for _, l := range strings.Split(renderComparison(t, "markdown", c), "\n") {
			if n := len(regexp.MustCompile(`(^|[^\\])\|`).FindAllString(l, -1)); n > 0 && n != 8 {
				t.Errorf("%s: %d bars in %q", name, n, l)
			}
		}
		records, err := csv.NewReader(strings.NewReader(renderComparison(t, "csv", c))).ReadAll()
		if err != nil || len(records) < 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestComparisonJSON: it reads back as it was, lists are lists, and keys of
// percentages and shares say so.
func TestComparisonJSON(t *testing.T) {
	for name, c := range comparisons() {
		text := renderComparison(t, "json", c)
		if err := schematest.ValidateComparison([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got result.Comparison
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c, &got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: -written +read\n%s", name, d)
		}
		for _, path := range nilLists(reflect.ValueOf(*comparisonWithLists(c)), name) {
			t.Errorf("%s would be null", path)
		}
		for _, m := range regexp.MustCompile(`"(\w+)": -?[0-9]`).FindAllStringSubmatch(text, -1) {
			if key := m[1]; regexp.MustCompile(`^(change|limit)`).MatchString(key) && !strings.HasSuffix(key, "_percent") {
				t.Errorf("%q has no unit", key)
			}
		}
	}
}

func TestComparisonFails(t *testing.T) {
	for _, format := range ComparisonFormats() {
		if err := WriteComparison(fullDisk{}, format, onceCompared()); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := WriteComparison(fullDisk{}, "xml", onceCompared()); err == nil || errors.Is(err, errFull) {
		t.Error(err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestSentences: the line to paste says no more than was found.
func TestSentences(t *testing.T) {
	one := func(f result.ComparedFigure) string {
		return comparisonSentence(&result.Comparison{Rows: []result.ComparedRow{{Name: "all", Figures: []result.ComparedFigure{f}}}})
	}
	iops := func(n int, verdict string, change, low, high, p float64) result.ComparedFigure {
		return comparedAs("iops", "IOPS", "per_second", "higher", 1, 1, n, verdict, change, low, high, p)
	}
	for want, f := range map[string]result.ComparedFigure{
		"iops +1.83% (+0.03% to +3.20%), p=0.041, 6 and 6 runs":                                                     iops(6, result.VerdictBetter, 1.83, 0.03, 3.2, 0.041),
		"iops: no significant change, +1.8% (+0.0% to +3.2%), p=0.0502, 6 and 6 runs":                               iops(6, result.VerdictSame, 1.83, 0.03, 3.2, 0.05021),
		"iops +4.8% (+3.1% to +6.5%), p=0.002, 6 and 6 runs":                                                        iops(6, result.VerdictBetter, 4.8, 3.1, 6.5, 0.00216),
		"iops -0.42% (-0.61% to -0.23%), p<0.001, 9 and 9 runs":                                                     iops(9, result.VerdictWorse, -0.42, -0.61, -0.23, 0.0004),
		"iops: no significant change, -0.3% (-1.2% to +0.9%), p=0.485, 6 and 6 runs":                                iops(6, result.VerdictSame, -0.3, -1.2, 0.9, 0.485),
		"iops: not measured in all runs, or 0 in some, so nothing to tell: those with it, 6 and 6 runs, have +0.3%": iops(6, result.VerdictSome, 0.3, 0, 0, 1),
		"iops: too few runs to tell (+0.0%), 2 and 2 runs":                                                          iops(2, result.VerdictFew, -0.01, 0, 0, 1),
	} {
		if got := one(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestTableAgreesWithVerdict: no interval of a change that was found shows an
// end of nothing, and no p that is too high one that is not.
func TestTableAgreesWithVerdict(t *testing.T) {
	for want, f := range map[string]result.ComparedFigure{
		"+0.01% (+0.001% to +0.01%)  p=0.002  n=6+6  better":      comparedAs("iops", "IOPS", "per_second", "higher", 1e5, 1e5, 6, result.VerdictBetter, 0.006, 0.001, 0.012, 0.002),
		"-0.0002% (-0.0003% to -0.00001%)  p=0.050  n=6+6  worse": comparedAs("iops", "IOPS", "per_second", "higher", 1e5, 1e5, 6, result.VerdictWorse, -0.0002, -0.0003, -0.00001, 0.05),
		"~ (+0.00% to +1.20%)  p=0.051  n=6+6":                    comparedAs("iops", "IOPS", "per_second", "higher", 1e5, 1e5, 6, result.VerdictSame, 0.6, 1e-9, 1.2, 0.0506),
		"~ (-0.002% to +1.20%)  p=0.050003  n=6+6":                comparedAs("iops", "IOPS", "per_second", "higher", 1e5, 1e5, 6, result.VerdictSame, 0.6, -0.002, 1.2, 0.050003),
		"~  n=6+6  " + result.VerdictSome: {
			Metric: "iops", Verdict: result.VerdictSome, Change: num(1),
			Old: result.MedianOf{Values: make([]float64, 6)}, New: result.MedianOf{Values: make([]float64, 6)},
		},
	} {
		l := figureLine("", &f, func(float64) string { return "" })
		got := strings.Join(strings.Fields(strings.Join([]string{l.change, l.interval, l.p, l.counts, l.verdict}, " ")), " ")
		if got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRowNamesArePrintable: a target's name can hold what ends a line, or what
// a terminal obeys.
func TestRowNamesArePrintable(t *testing.T) {
	many := sweepCompared()
	many.Rows[0].Name = "/mnt/a\nb\x1b[2J|c"
	one := *many
	one.Rows = []result.ComparedRow{many.Rows[0], many.Rows[2]} // the other on one side only
	for _, format := range []string{"text", "markdown"} {
		for _, c := range []*result.Comparison{many, &one} {
			var b bytes.Buffer
			if err := WriteComparison(&b, format, c); err != nil {
				t.Fatal(err)
			}
			if s := b.String(); strings.ContainsAny(s, "\x1b") || strings.Contains(s, "a\nb") || !strings.Contains(s, "/mnt/a") {
				t.Errorf("%s:\n%s", format, s)
			}
		}
	}
}

// TestComparisonIsNoResult: a comparison is not compared again.
func TestComparisonIsNoResult(t *testing.T) {
	for _, schema := range []string{result.ComparisonSchemaVersion, "ringpeak.ab/1", "ringpeak.ab/7"} {
		_, err := ReadDocument(strings.NewReader(`{"schema": "`+schema+`"}`), "c.json")
		if err == nil || !strings.Contains(err.Error(), "c.json is a comparison already (schema "+schema+")") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}
