package metric

import (
	"math"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/perf/benchunit"

	"ringpeak/go/result"
)

func float(v float64) result.OptFloat { return &v }

func integer(v int64) result.OptInt { return &v }

// full is a sample that has every figure.
func full() Sample {
	return Sample{
		Summary: &result.Summary{IOPSMean: 2e6, BytesPerSecond: 8192e6},
		Latency: &result.Latency{Percentiles: []result.Percentile{{Percent: 50, NS: 60_000}, {Percent: 99, NS: 80_000}, {Percent: 99.9, NS: 95_000}, {Percent: 99.99, NS: 1e6}}},
		Usage: &result.Usage{Total: result.ThreadUsage{
			Completed: 1000, NSPerIO: float(450), SystemNS: integer(300_000), InstructionsPerIO: float(2100), CyclesPerIO: float(1400),
		}},
	}
}

func TestValues(t *testing.T) {
	s := full()
	want := map[string]float64{
		"iops": 2e6, "bandwidth": 8192e6, "p50": 60_000, "p99": 80_000, "p99.9": 95_000,
		"cpu": 450, "system": 300, "instructions": 2100, "cycles": 1400,
	}
	for _, m := range All() {
		if v, ok := m.Value(&s); !ok || v != want[m.Name] {
			t.Errorf("%s: %v, %v, want %v", m.Name, v, ok, want[m.Name])
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		t.Errorf("not in the table: %v", want)
	}
}

// TestTable: names, titles and units are there and unambiguous, and units in
// Go's format stay what they are when its tools bring them to base units.
func TestTable(t *testing.T) {
	all := All()
	if all[0].Name != "iops" || !all[0].Higher {
		t.Errorf("the first is %+v", all[0])
	}
	names, units := map[string]bool{}, map[string]bool{}
	word := regexp.MustCompile(`^[a-z][a-z0-9.]*$`)
	for _, m := range all {
		if !word.MatchString(m.Name) || m.Title == "" || m.Unit == "" || m.Value == nil {
			t.Errorf("%+v", m)
		}
		if want := m.Unit == PerSecond || m.Unit == BytesPerSecond; m.Higher != want {
			t.Errorf("%s: higher is better: %v", m.Name, m.Higher)
		}
		if want := map[bool]string{true: "higher", false: "lower"}[m.Higher]; m.Better() != want {
			t.Errorf("%s: %s", m.Name, m.Better())
		}
		factor, tidy := benchunit.Tidy(1, m.Go)
		if ns := m.Unit == NS || m.Unit == NSPerIO; ns && factor != 1e-9 || !ns && (factor != 1 || tidy != m.Go) {
			t.Errorf("%s: %s of %s is %v %s", m.Name, m.Go, m.Unit, factor, tidy)
		}
		if bytes := m.Unit == BytesPerSecond; bytes != (benchunit.ClassOf(m.Go) == benchunit.Binary) {
			t.Errorf("%s: prefixes of %s are %v", m.Name, m.Go, benchunit.ClassOf(m.Go))
		}
		if regexp.MustCompile(`\s`).MatchString(m.Go) || names[m.Name] || units[tidy] {
			t.Errorf("%s: %q", m.Name, m.Go)
		}
		names[m.Name], units[tidy] = true, true
		if got := ByName(m.Name); got == nil || got.Title != m.Title {
			t.Errorf("by name %s: %+v", m.Name, got)
		}
	}
	if !slices.Equal(Names(), []string{"iops", "bandwidth", "p50", "p99", "p99.9", "cpu", "system", "instructions", "cycles"}) {
		t.Errorf("names %v", Names())
	}
	if ByName("IOPS") != nil || ByName("") != nil {
		t.Error("names that there are none of are found")
	}
}

// TestNotMeasured: what a run does not have is not there, whatever is missing.
func TestNotMeasured(t *testing.T) {
	having := func(change func(s *Sample)) []string {
		s := full()
		change(&s)
		var names []string
		for _, m := range All() {
			v, ok := m.Value(&s)
			if ok {
				names = append(names, m.Name)
			}
			if ok != (v > 0) || math.IsInf(v, 0) {
				t.Errorf("%s: %v, %v", m.Name, v, ok)
			}
		}
		return names
	}
	without := func(names ...string) []string {
		return slices.DeleteFunc(Names(), func(n string) bool { return slices.Contains(names, n) })
	}
	for what, tt := range map[string]struct {
		change func(s *Sample)
		want   []string
	}{
		"no latency":       {func(s *Sample) { s.Latency = nil }, without("p50", "p99", "p99.9")},
		"few samples":      {func(s *Sample) { s.Latency.Percentiles = s.Latency.Percentiles[:1] }, without("p99", "p99.9")},
		"a latency of 0":   {func(s *Sample) { s.Latency.Percentiles[0].NS = 0 }, without("p50")},
		"no usage":         {func(s *Sample) { s.Usage = nil }, without("cpu", "system", "instructions", "cycles")},
		"no counters":      {func(s *Sample) { s.Usage.Total.InstructionsPerIO, s.Usage.Total.CyclesPerIO = nil, nil }, without("instructions", "cycles")},
		"no system time":   {func(s *Sample) { s.Usage.Total.SystemNS = nil }, without("system")},
		"no I/O of usage":  {func(s *Sample) { s.Usage.Total.Completed = 0 }, without("system")},
		"a system time 0":  {func(s *Sample) { s.Usage.Total.SystemNS = integer(0) }, without("system")},
		"no bytes, a NOP":  {func(s *Sample) { s.Summary.BytesPerSecond = 0 }, without("bandwidth")},
		"nothing measured": {func(s *Sample) { *s = Sample{Summary: &result.Summary{}} }, nil},
	} {
		if got := having(tt.change); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", what, got, tt.want)
		}
	}
}

func TestSamples(t *testing.T) {
	r := &result.Result{Summary: result.Summary{IOPSMean: 5}, Latency: &result.Latency{}, Usage: &result.Usage{}}
	for _, repeat := range []int{0, 1} { // documents of before there were repeats have 0
		r.Spec.Repeat = repeat
		list := Samples(r)
		if len(list) != 1 || list[0] != (Sample{0, &r.Summary, r.Latency, r.Usage}) {
			t.Errorf("--repeat %d: %+v", repeat, list)
		}
	}
	r.Spec.Repeat = 4
	if list := Samples(r); len(list) != 0 {
		t.Errorf("no repeat was begun: %+v", list)
	}
	r.Repeats = []result.Repeat{
		{Number: 1, Latency: &result.Latency{Samples: 1}},
		{Number: 2, Partial: true},
		{Number: 3, Summary: result.Summary{IOPSMean: 7}, Usage: &result.Usage{}},
		{Number: 4, Partial: true},
	}
	list := Samples(r)
	first, third := &r.Repeats[0], &r.Repeats[2]
	want := []Sample{{1, &first.Summary, first.Latency, nil}, {3, &third.Summary, nil, third.Usage}}
	if !slices.Equal(list, want) {
		t.Errorf("%+v, want %+v", list, want)
	}
	if v, ok := All()[0].Value(&list[1]); !ok || v != 7 {
		t.Errorf("of the third: %v, %v", v, ok)
	}
}
