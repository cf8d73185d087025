package assert

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode"

	"ringpeak/go/result"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text   string
		plain  string
		wanted float64
		unit   string
	}{
		{"iops>=5M", "iops>=5M", 5e6, "per_second"},
		{"  iops  >=\t5 M ", "iops>=5 M", 5e6, "per_second"},
		{"iops>100K", "iops>100K", 1e5, "per_second"},
		{"iops_min > 1.5G", "iops_min>1.5G", 1.5e9, "per_second"},
		{"iops!=.5k", "iops!=.5k", 500, "per_second"},
		{"errors==0", "errors==0", 0, "count"},
		{"ios_per_call>=31.5", "ios_per_call>=31.5", 31.5, "count"},
		{"bandwidth>=3GiB", "bandwidth>=3GiB", 3 << 30, "bytes_per_second"},
		{"bandwidth>=3Gi", "bandwidth>=3Gi", 3 << 30, "bytes_per_second"},
		{"bandwidth>=3.5GiB/s", "bandwidth>=3.5GiB/s", 3.5 * (1 << 30), "bytes_per_second"},
		{"bandwidth<3G", "bandwidth<3G", 3e9, "bytes_per_second"},
		{"bandwidth<512KiB", "bandwidth<512KiB", 512 << 10, "bytes_per_second"},
		{"bandwidth<500MB", "bandwidth<500MB", 5e8, "bytes_per_second"},
		{"bandwidth<500", "bandwidth<500", 500, "bytes_per_second"},
		{"p99<=100us", "p99<=100us", 1e5, "ns"},
		{"p99<=100µs", "p99<=100µs", 1e5, "ns"},
		{"p99.9<1.5ms", "p99.9<1.5ms", 1.5e6, "ns"},
		{"p100<2s", "p100<2s", 2e9, "ns"},
		{"latency_max<900ns", "latency_max<900ns", 900, "ns"},
		{"window>=1s", "window>=1s", 1e9, "ns"},
		{"ceiling_fraction<33%", "ceiling_fraction<33%", 0.33, "fraction"},
		{"iops_spread<=0.05", "iops_spread<=0.05", 0.05, "fraction"},
		{"check:polled==pass", "check:polled==pass", 0, "state"},
		{"check:io-wq != unknown", "check:io-wq!=unknown", 0, "state"},
	} {
		a, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if a.String() != c.plain || a.number.value != c.wanted || a.metric.kind.unit != c.unit {
			t.Errorf("%s: %s, %v %s", c.text, &a, a.number.value, a.metric.kind.unit)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		text string
		says []string
	}{
		{"", []string{"character 1:", "a metric is missing", "iops>=5M"}},
		{"   ", []string{"character 4:", "a metric is missing"}},
		{">=5M", []string{"character 1:", "a metric is missing"}},
		{"help", []string{"character 1:", "iops, iops_median, ", "p99.9", "check:polled", "no metric \"help\""}},
		{"iop>=5M", []string{"character 1:", "did you mean iops?"}},
		{"IOPS>=5M", []string{"did you mean iops?"}},
		{"latency>1s", []string{"did you mean latency_mean?", "bandwidth"}},
		{"p99", []string{"character 4:", "an operator is missing after p99", ">=, >, <=, <, == or !="}},
		{"iops 5M", []string{"character 6:", "an operator is missing"}},
		{"iops=5M", []string{"character 5:", "did you mean ==?"}},
		{" iops =>5M", []string{"character 7:", "did you mean >=?"}},
		{"iops=<5M", []string{"did you mean <=?"}},
		{"iops<>5M", []string{`"<>" is not an operator`, "or !="}},
		{"iops===5", []string{`"===" is not`}},
		{"iops=~5", []string{`"=~" is not`}},
		{"iops>=", []string{"character 7:", `"" is not a rate`, "5M"}},
		{"iops>=5m", []string{"character 7:", `"5m" is not a rate`}},
		{"iops>=5MM", []string{`"5MM"`}},
		{"iops>=-5", []string{`"-5"`}},
		{"iops>=1.2.3", []string{`"1.2.3"`}},
		{"iops>=.", []string{`"."`}},
		{"iops>=M", []string{`"M"`}},
		{"iops>=5e6", []string{`"5e6"`}},
		{"iops>=5\nM", []string{`"5\nM"`}},
		{"iops>=" + strings.Repeat("9", 400), []string{"is not a rate"}},
		{"iops>=inf", []string{`"inf"`}},
		{"p99<=100", []string{"character 6:", `"100" is not a time`, "100us"}},
		{"p99<=1m", []string{`"1m" is not a time`}},
		{"p0<1s", []string{"character 1:", `"p0" is not a percentile`, "above 0 and up to 100"}},
		{"p101<1s", []string{"percentile"}},
		{"p9.9.9<1s", []string{"percentile"}},
		{"p.<1s", []string{"percentile"}},
		{"bandwidth>1Gb", []string{"bytes per second", "3.5GiB"}},
		{"errors==0%", []string{"a count"}},
		{"ceiling_fraction<5k", []string{"a fraction", "50%"}},
		{"check:==pass", []string{"character 1:", "check:polled==pass"}},
		{"check:Polled==pass", []string{`"check:Polled" is not a check`}},
		{"check:polled==passed", []string{"character 15:", `"passed" is not the state of a check`, "pass, warn, fail or unknown"}},
		{"check:polled>=pass", []string{"character 13:", "does not apply to a check", "== or !="}},
		{"ü>=1", []string{"character 1:", `"ü"`}},
		{"üü =1", []string{"character 1:"}},
		{"p99 µ=1s", []string{"character 5:"}},
		{"iops\n>=1", []string{"character 1:", `\n`}},
	} {
		_, err := Parse(c.text)
		wantUsage(t, c.text, err, append(c.says, "--assert ")...)
	}
}

func wantUsage(t *testing.T, text string, err error, says ...string) {
	t.Helper()
	var e *result.Error
	if !errors.As(err, &e) || e.Status != result.StatusUsage {
		t.Errorf("%q: %v is not an error of status 2", text, err)
		return
	}
	for _, s := range says {
		if !strings.Contains(e.Text, s) {
			t.Errorf("%q: no %q in: %s", text, s, e.Text)
		}
	}
	if strings.IndexFunc(e.Text, unicode.IsControl) >= 0 {
		t.Errorf("%q: not one line: %q", text, e.Text)
	}
}

// TestParseAll: what a run cannot have is refused, and what it may have is not.
func TestParseAll(t *testing.T) {
	base := result.Spec{Engine: result.EngineURing, Op: result.OpRead, Ceiling: true, RuntimeNS: 5e9, IntervalNS: 1e9}
	for _, c := range []struct {
		text   string
		change func(*result.Spec)
		says   string
	}{
		{"p99<=100us", nil, "p99 needs -t1"},
		{"p99<=100us", func(s *result.Spec) { s.Latency = true }, ""},
		{"latency_max<=1ms", nil, "latency_max needs -t1"},
		{"bandwidth>1M", nil, ""},
		{"bandwidth>1M", func(s *result.Spec) { s.Op = result.OpNop }, "a no-op moves no bytes"},
		{"iops_stddev<=1k", nil, ""},
		{"iops_stddev<=1k", func(s *result.Spec) { s.RuntimeNS = 1.9e9 }, "needs two intervals"},
		{"iops_spread<=5%", func(s *result.Spec) { s.RuntimeNS = 0 }, ""},
		{"ceiling_fraction<=50%", nil, ""},
		{"ceiling_fraction<=50%", func(s *result.Spec) { s.Ceiling = false }, "--no-ceiling"},
		{"ceiling>=5M", func(s *result.Spec) { s.Engine = result.EngineAIO }, "aio has no no-op"},
		{"ceiling>=5M", func(s *result.Spec) { s.Op, s.Ceiling = result.OpNop, false }, "-N1"},
		{"check:polled==pass", nil, ""},
		{"check:poled!=fail", nil, `no check "poled": did you mean polled? there are accounting, polled`},
		{"check:whatever==pass", nil, `no check "whatever": there are accounting, polled`},
	} {
		s := base
		if c.change != nil {
			c.change(&s)
		}
		s.Assertions = []string{"errors==0", c.text}
		list, err := ParseAll(&s, []string{"accounting", "polled"})
		if c.says != "" {
			wantUsage(t, c.text, err, c.says, c.text)
		} else if err != nil || len(list) != 2 {
			t.Errorf("%s: %v, %v", c.text, list, err)
		}
	}
	if _, err := ParseAll(&result.Spec{Assertions: []string{"errors==0", "x"}}, nil); err == nil {
		t.Error("the second is not looked at")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"iops>=5M", "p99.9 <= 1.5ms", "check:polled==pass", "bandwidth>3GiB/s", "errors == 0", "ceiling_fraction<33%", "iops=>1",
		"p1e5<1s", "check:-==pass", "\x00", "iops>=5\xff", "µ", "iops>=00000000000000000000000000000000000001", "p99<=0.1ns",
	} {
		f.Add(s)
	}
	r := fixture()
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			wantUsage(t, text, err)
			return
		}
		again, err := Parse(a.String())
		if err != nil || again.String() != a.String() || again.number != a.number {
			t.Fatalf("%q is %q, which is %q (%v)", text, a.String(), again.String(), err)
		}
		o := a.evaluate(r)
		if o.Outcome == "" || o.Text != text || strings.IndexFunc(o.Outcome, unicode.IsControl) >= 0 {
			t.Fatalf("%q: %+v", text, o)
		}
		for _, v := range []*float64{o.Value, o.Wanted} {
			if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
				t.Fatalf("%q: %v is nothing for a document", text, *v)
			}
		}
	})
}
