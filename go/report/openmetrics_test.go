package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/result"
)

func metricsOf(t *testing.T, r *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteOpenMetrics(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// nastyRun has what has to be escaped, twice the same target, and samples
// above the range.
func nastyRun(t *testing.T) *result.Result {
	r := peakLatencyRun(t)
	r.Targets[0].Path, r.Targets[1].Path = "/tmp/a\"b\\c\nd\xff", "/tmp/a\"b\\c\nd\xff"
	r.Targets[0].Model = `x{y="z"}`
	r.Errors = []result.ErrorCount{
		{Target: "/tmp/g", Errno: 5, Name: "EIO", Count: 3}, {Target: "/tmp/g", Errno: 6, Count: 2}, {Target: "/tmp/g", Name: "EIO", Count: 4},
	}
	r.Checks = append(r.Checks, r.Checks[0])
	r.Placements[1].CPU = -1
	r.Histogram.Over = 10
	return r
}

func TestOpenMetricsIsValid(t *testing.T) {
	all := runs()
	all["nasty"], all["empty"], all["peak"] = nastyRun(t), &result.Result{}, peakLatencyRun(t)
	for name, r := range all {
		if wrong := checkMetrics(metricsOf(t, r)); len(wrong) > 0 {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

func TestOpenMetricsSays(t *testing.T) {
	text := metricsOf(t, nastyRun(t))
	for _, want := range []string{
		`ringpeak_iops_mean 666666.6666666666` + "\n",
		`ringpeak_iops_max 704000` + "\n",
		`ringpeak_ios_completed_total{submitter="0",cpu="0"} 1000000` + "\n",
		`ringpeak_ios_completed_total{submitter="1",cpu="none"} 1000000` + "\n",
		`ringpeak_read_bytes_total{submitter="1",cpu="none"} 4096000000` + "\n",
		`ringpeak_target_size_bytes{index="1",target="/tmp/a\"b\\c\nd` + "\uFFFD" + `"} 67108864` + "\n",
		`ringpeak_errors_total{target="/tmp/g",error="EIO"} 7` + "\n",
		`ringpeak_errors_total{target="/tmp/g",error="errno 6"} 2` + "\n",
		`ringpeak_start_time_seconds 1785585600` + "\n",
		`ringpeak_window_seconds 3` + "\n",
		`ringpeak_exit_status 0` + "\n",
		`ringpeak_latency_seconds_bucket{le="1.023e-06"} 6` + "\n",
		`ringpeak_latency_seconds_bucket{le="2.4575e-05"} 1500006` + "\n",
		`ringpeak_latency_seconds_bucket{le="68.719476735"} 1500910` + "\n",
		`ringpeak_latency_seconds_bucket{le="+Inf"} 1500920` + "\n",
		`ringpeak_latency_seconds_count 1500920` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if text := metricsOf(t, nopRun()); strings.Contains(text, "latency") {
		t.Error("latency that nobody asked for")
	}
}

// TestMetricsCheckerFinds spoils a valid file in one place at a time.
func TestMetricsCheckerFinds(t *testing.T) {
	good := metricsOf(t, nastyRun(t))
	for i, c := range [][2]string{
		{"# EOF\n", ""},
		{"# EOF\n", "# EOF"},
		{"# EOF\n", "# EOF\n\n"},
		{"# HELP ringpeak_iops_mean", "# EOF\n# HELP ringpeak_iops_mean"},
		{"# TYPE ringpeak_iops_mean gauge\n", ""},
		{"# TYPE ringpeak_iops_mean gauge", "# TYPE ringpeak_iops_mean info"},
		{"# TYPE ringpeak_iops_mean gauge", "# TYPE ringpeak_iops_mean counter"},
		{"# HELP ringpeak_iops_mean I/Os", "# HELP ringpeak_iops_mean \\I/Os"},
		{"# HELP ringpeak_iops_max", "# HELP ringpeak_iops_min"},
		{"\nringpeak_iops_min ", "\nringpeak_iops_mean "},
		{"ringpeak_ios_failed_total{", "ringpeak_ios_failed{"},
		{"# UNIT ringpeak_window_seconds seconds", "# UNIT ringpeak_window_seconds bytes"},
		{"ringpeak_window_seconds 3\n", "ringpeak_window_seconds 3\n\n"},
		{"ringpeak_window_seconds 3\n", "ringpeak_window_seconds 3 \n"},
		{"ringpeak_window_seconds 3\n", "ringpeak_window_seconds three\n"},
		{"ringpeak_window_seconds 3\n", "ringpeak_window_seconds 3\nringpeak_window_seconds 3\n"},
		{"ringpeak_window_seconds 3\n", "# a comment\nringpeak_window_seconds 3\n"},
		{`submitter="1",cpu="none"`, `submitter="0",cpu="0"`},
		{`submitter="1",cpu="none"} 1`, `submitter="1",cpu="none"} -1`},
		{`state="pass"`, `state="pa"ss"`},
		{`state="pass"`, `state="pa\ss"`},
		{`state="pass"`, `state=pass`},
		{`state="pass"`, `state="pass",`},
		{`state="pass"`, `state="pass",state="warn"`},
		{`le="+Inf"`, `le="70"`},
		{`le="1.535e-06"`, `le="1e-06"`},
		{`le="1.535e-06"} 6`, `le="1.535e-06"} 5`},
		{`seconds_count 1500920`, `seconds_count 1500921`},
		{`ringpeak_latency_seconds_sum`, `ringpeak_latency_seconds_total`},
	} {
		bad := strings.Replace(good, c[0], c[1], 1)
		if bad == good {
			t.Fatalf("%d: there is no %q", i, c[0])
		}
		if len(checkMetrics(bad)) == 0 {
			t.Errorf("%d: %q instead of %q is not found", i, c[1], c[0])
		}
	}
}

func TestSaveOpenMetrics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ringpeak.prom")
	r := oneFileRun()
	for range 2 {
		if err := SaveOpenMetrics(path, r); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil || string(b) != metricsOf(t, r) {
		t.Errorf("%v, %d bytes", err, len(b))
	}
	if list := names(t, filepath.Dir(path)); fmt.Sprint(list) != "[ringpeak.prom]" {
		t.Errorf("in the directory: %v", list)
	}
}
