package report

import (
	"strings"
	"testing"

	"ringpeak/go/result"
)

func float(v float64) *float64 { return &v }

// assertedRun is one that had a ceiling, and of which one assertion failed.
func assertedRun() *result.Result {
	r := oneFileRun()
	r.Spec.Ceiling = true
	r.Ceiling = &result.Ceiling{
		IOPS: float(9.8765e6), WindowNS: known(second / 5), Completed: known(1975300), Fraction: float(r.Summary.IOPSMean / 9.8765e6),
		NotKept: []string{"128-byte SQEs", "polling"},
	}
	r.Spec.Assertions = []string{"iops>=5M", "iops >= 6M", "check:polled==pass"}
	r.Assertions = []result.Assertion{
		{
			Text: "iops>=5M", Metric: "iops", Operator: ">=", Unit: "per_second", Value: float(r.Summary.IOPSMean), Wanted: float(5e6), Passed: true,
			Outcome: "iops = 5.806M, wanted >= 5M",
		},
		{
			Text: "iops >= 6M", Metric: "iops", Operator: ">=", Unit: "per_second", Value: float(r.Summary.IOPSMean), Wanted: float(6e6),
			Outcome: "iops = 5.806M, wanted >= 6M",
		},
		{
			Text: "check:polled==pass", Metric: "check:polled", Operator: "==", Unit: "state", WantedState: result.CheckPass,
			Outcome: "check:polled was not made (this run has counters-add-up), wanted == pass",
		},
	}
	r.End.Status, r.End.Error = result.StatusAssert, "assertion failed: iops = 5.806M, wanted >= 6M"
	return r
}

// TestCeilingLine: one line when there is a ceiling, none otherwise.
func TestCeilingLine(t *testing.T) {
	for _, c := range []struct {
		ceiling *result.Ceiling
		want    string
	}{
		{nil, ""},
		{&result.Ceiling{Reason: "aio has no no-op"}, ""},
		{&result.Ceiling{IOPS: float(5.8e6), Fraction: float(0.1234)}, "ceiling    5.80M IOPS of NOPs with the same settings; this run is 12.3% of it\n"},
		{&result.Ceiling{IOPS: float(5.8e6), Fraction: float(0.000799)}, "this run is 0.0799% of it\n"},
		{&result.Ceiling{IOPS: float(5.8e6)}, "ceiling    5.80M IOPS of NOPs with the same settings\n"},
		{&result.Ceiling{IOPS: float(5.8e6), Fraction: float(1), NotKept: []string{"polling"}}, "the same settings but for polling; this run is 100% of it\n"},
	} {
		r := oneFileRun()
		r.Ceiling = c.ceiling
		got := render(t, StyleNative, r)
		if n := strings.Count(got, "\nceiling"); n != bit(c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: not %q in\n%s", c.ceiling, c.want, got)
		}
	}
}

// TestAssertionLines: all passed is a count, and what failed is a line each,
// that no text of it can break.
func TestAssertionLines(t *testing.T) {
	r := oneFileRun()
	if got := render(t, StyleNative, r); strings.Contains(got, "assert") {
		t.Errorf("nothing was asserted:\n%s", got)
	}
	r.Assertions = []result.Assertion{{Passed: true, Outcome: "well"}}
	if got := render(t, StyleNative, r); !strings.Contains(got, "\nassert     1 passed\n") || strings.Contains(got, "well") || !strings.HasSuffix(got, "No I/O errors.\n") {
		t.Errorf("one passed:\n%s", got)
	}
	r.Assertions = append(r.Assertions, result.Assertion{Outcome: "a\nb"}, result.Assertion{Outcome: "c"})
	got := render(t, StyleNative, r)
	if !strings.Contains(got, "\nassert     1 passed, 2 failed\n  FAILED   a\\nb\n  FAILED   c\n") || !strings.HasSuffix(got, "2 assertions failed.\n") {
		t.Errorf("two failed:\n%s", got)
	}
}
