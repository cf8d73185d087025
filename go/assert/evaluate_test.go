package assert

import (
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// fixture is the result of a run of three seconds: latencies of 1 to 1000 us,
// some failures, a ceiling and checks in every state.
func fixture() *result.Result {
	h := hdrhistogram.New(1, 68719476735, 2)
	for us := int64(1); us <= 1000; us++ {
		if err := h.RecordValue(us * 1000); err != nil {
			panic(err)
		}
	}
	iops, part, spread := 5e6, 0.25, 125000.0
	r := &result.Result{
		Summary: result.Summary{
			WindowNS: 3e9, Intervals: 3, Total: result.Counters{Completed: 3750000, Failed: 4, Short: 1, Calls: 100000},
			IOPSMean: 1250000, IOPSMedian: 1260000, IOPSMin: 1100000, IOPSMax: 1350000, IOPSStdDev: &spread,
			BytesPerSecond: 1250000 * 4096, CompletedPerCall: 37.5, SubmittedPerCall: 37.6,
		},
		Errors: []result.ErrorCount{
			{Target: "f", Errno: 5, Count: 5}, {Target: "f", Name: "short read", Count: 2}, {Target: "f", NVMe: 0x281, Count: 1},
		},
		Histogram: &result.Histogram{LowestNS: 1, HighestNS: 68719476735, Digits: 2, Counts: h.Export().Counts},
		Ceiling:   &result.Ceiling{IOPS: &iops, Fraction: &part},
		Checks: []result.Check{
			{Code: "accounting", State: result.CheckPass},
			{Code: "io-wq", State: result.CheckWarn},
			{Code: "polled", State: result.CheckFail},
			{Code: "interrupts", State: result.CheckUnknown},
		},
	}
	r.Latency, _ = stats.Latency(r.Histogram)
	return r
}

func evaluate(t *testing.T, text string, r *result.Result) result.Assertion {
	t.Helper()
	a, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Evaluate([]Assertion{a}, r)[0]
}

func TestEvaluate(t *testing.T) {
	r := fixture()
	for text, c := range map[string]struct {
		passed  bool
		outcome string
	}{
		"iops>=1.25M":         {true, "iops = 1.25M, wanted >= 1.25M"},
		"iops>1.25M":          {false, "iops = 1.25M, wanted > 1.25M"},
		"iops<1.25M":          {false, "iops = 1.25M, wanted < 1.25M"},
		"iops<=1.25M":         {true, "iops = 1.25M, wanted <= 1.25M"},
		"iops==1250000":       {true, "iops = 1250000, wanted == 1250000"},
		"iops!=1250k":         {false, "iops = 1250k, wanted != 1250k"},
		"iops >= 2M":          {false, "iops = 1.25M, wanted >= 2M"},
		"iops>=1250000.4":     {false, "iops = 1250000, wanted >= 1250000.4"},
		"iops_median>=1.2M":   {true, "iops_median = 1.26M, wanted >= 1.2M"},
		"iops_min>=1.2M":      {false, "iops_min = 1.1M, wanted >= 1.2M"},
		"iops_max<=1.3M":      {false, "iops_max = 1.35M, wanted <= 1.3M"},
		"iops_stddev<=100k":   {false, "iops_stddev = 125k, wanted <= 100k"},
		"iops_spread<=10%":    {true, "iops_spread = 10%, wanted <= 10%"},
		"iops_spread<0.1":     {false, "iops_spread = 0.1, wanted < 0.1"},
		"bandwidth>=4.7GiB/s": {true, "bandwidth = 4.768GiB/s, wanted >= 4.7GiB/s"},
		"bandwidth>=5G":       {true, "bandwidth = 5.12G, wanted >= 5G"},
		"ios_per_call>=38":    {false, "ios_per_call = 37.5, wanted >= 38"},
		"window>=3s":          {true, "window = 3s, wanted >= 3s"},
		"errors==0":           {false, "errors = 8, wanted == 0"},
		"errors<=8":           {true, "errors = 8, wanted <= 8"},
		"short==2":            {true, "short = 2, wanted == 2"},
		"latency_min>=999ns":  {true, ""},
		"latency_max<=1ms":    {false, ""},
		"latency_max<=1.1ms":  {true, ""},
		"latency_mean<490us":  {false, ""},
		"latency_mean<510us":  {true, ""},
		"latency_stddev<1ms":  {true, ""},
		"p50<=495us":          {false, ""},
		"p50<=505us":          {true, ""},
		"p33<=340us":          {true, ""}, // none of those that are listed
		"p33<=320us":          {false, ""},
		"p99.9<=1s":           {true, ""},
		"p100<=990us":         {false, ""},
		"ceiling>=5M":         {true, "ceiling = 5M, wanted >= 5M"},
		"ceiling_fraction<2%": {false, "ceiling_fraction = 25%, wanted < 2%"},

		"check:accounting==pass":    {true, "check:accounting = pass, wanted == pass"},
		"check:accounting!=pass":    {false, "check:accounting = pass, wanted != pass"},
		"check:polled==pass":        {false, "check:polled = fail, wanted == pass"},
		"check:polled!=fail":        {false, "check:polled = fail, wanted != fail"},
		"check:io-wq!=fail":         {true, "check:io-wq = warn, wanted != fail"},
		"check:interrupts==pass":    {false, "check:interrupts = unknown, wanted == pass"},
		"check:interrupts==unknown": {true, "check:interrupts = unknown, wanted == unknown"},
	} {
		o := evaluate(t, text, r)
		if o.Passed != c.passed || c.outcome != "" && o.Outcome != c.outcome {
			t.Errorf("%s: %v, %q, want %v, %q", text, o.Passed, o.Outcome, c.passed, c.outcome)
		}
		if isCheck := strings.HasPrefix(text, "check:"); o.Text != text || isCheck == (o.Value != nil) || isCheck == (o.Wanted != nil) ||
			isCheck == (o.State == "") || isCheck == (o.WantedState == "") || isCheck != (o.Unit == "state") {
			t.Errorf("%s: %+v", text, o)
		}
	}
}

// Values close to the limit are told in as many digits as show the difference.
func TestOutcomeShowsTheDifference(t *testing.T) {
	r := fixture()
	r.Summary.IOPSMean = 4999999.6
	if o := evaluate(t, "iops>=5M", r); o.Passed || o.Outcome != "iops = 4.9999996M, wanted >= 5M" {
		t.Errorf("%+v", o)
	}
	r.Summary.IOPSMean = 1234
	if o := evaluate(t, "iops>=1G", r); o.Outcome != "iops = 1.234k, wanted >= 1G" {
		t.Errorf("%+v", o)
	}
	if o := evaluate(t, "latency_min>=1s", r); o.Outcome != "latency_min = 1us, wanted >= 1s" {
		t.Errorf("%+v", o)
	}
	if o := evaluate(t, "bandwidth>=100TiB/s", r); o.Outcome != "bandwidth = 4.768GiB/s, wanted >= 100TiB/s" {
		t.Errorf("%+v", o)
	}
	r.Errors[0].Count = 123456789
	if o := evaluate(t, "errors==0", r); o.Passed || o.Outcome != "errors = 123456792, wanted == 0" {
		t.Errorf("%+v", o)
	}
}

// What was not measured passes nothing, not even "less than".
func TestNotMeasured(t *testing.T) {
	empty := &result.Result{Checks: []result.Check{{Code: "accounting", State: result.CheckPass}}}
	over := fixture()
	over.Histogram.Over, over.Histogram.Counts = 20, slices.Clone(over.Histogram.Counts)
	over.Latency, _ = stats.Latency(over.Histogram)
	one := fixture()
	one.Summary.Intervals, one.Summary.IOPSStdDev = 1, nil
	refused := fixture()
	refused.Ceiling = &result.Ceiling{Reason: "a run of less than 80ms has none"}
	for _, c := range []struct {
		r    *result.Result
		text string
		says string
	}{
		{empty, "iops<5M", "iops was not measured, wanted < 5M"},
		{empty, "iops!=5M", "was not measured"},
		{empty, "bandwidth<5M", "was not measured"},
		{empty, "window<1s", "was not measured"},
		{empty, "p99<=100us", "p99 was not measured, wanted <= 100us"},
		{empty, "latency_mean<=100us", "was not measured"},
		{empty, "latency_min<=100us", "was not measured"},
		{empty, "ios_per_call<=100", "no calls were made"},
		{empty, "ceiling_fraction<=1", "was not measured"},
		{empty, "ceiling<=1G", "was not measured"},
		{empty, "check:polled==pass", "check:polled was not made (this run has accounting), wanted == pass"},
		{empty, "check:polled!=fail", "was not made"},
		{empty, "check:polled==unknown", "was not made"},
		{one, "iops_stddev<=1G", "two whole intervals"},
		{one, "iops_spread<=100%", "two whole intervals"},
		{over, "p99<=1s", "is above the histogram's range"},
		{over, "latency_max<=1s", "20 latencies above the histogram's range"},
		{over, "latency_mean<=1s", "20 latencies above"},
		{refused, "ceiling_fraction<=1", "was not measured (a run of less than 80ms has none)"},
	} {
		o := evaluate(t, c.text, c.r)
		if o.Passed || !strings.Contains(o.Outcome, c.says) || o.Value != nil || o.State != "" {
			t.Errorf("%s: %+v, want %q", c.text, o, c.says)
		}
	}
	// What is known in spite of it.
	for _, text := range []string{"p50<=600us", "latency_min<=1us"} {
		if o := evaluate(t, text, over); !o.Passed {
			t.Errorf("%+v", o)
		}
	}
	if o := evaluate(t, "errors==0", empty); !o.Passed {
		t.Errorf("%+v", o)
	}
}

// TestTable: each metric can be named, has a unit and its value in a fixture,
// and appears once.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range metrics() {
		if seen[m.name] || strings.Trim(m.name, "abcdefghijklmnopqrstuvwxyz_") != "" {
			t.Errorf("%q is no name, or is there twice", m.name)
		}
		seen[m.name] = true
		if m.needs == nil || m.value == nil || m.kind.unit == "" || len(m.kind.scales) == 0 {
			t.Errorf("%s is not complete", m.name)
			continue
		}
		if v, why := m.value(fixture()); why != "" || v <= 0 {
			t.Errorf("%s is %v, %q", m.name, v, why)
		}
	}
	if list := Metrics(); len(list) != len(seen) {
		t.Errorf("%q", list)
	}
}
