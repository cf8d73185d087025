package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// WriteOpenMetrics writes r in the text format of OpenMetrics, in the part of
// it that is the text format of Prometheus as well, so that node_exporter's
// textfile collector takes it: no types that only one of them has. (By its
// name of a counter, without _total, Prometheus does not know it and takes the
// samples for untyped ones.)
func WriteOpenMetrics(w io.Writer, r *result.Result) error {
	text, err := openMetrics(r)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write metrics: %w", err)
	}
	return nil
}

// SaveOpenMetrics writes it to path, as SaveJSON does: a collector that reads
// the directory meanwhile sees the old file or the new one.
func SaveOpenMetrics(path string, r *result.Result) error { return saveAs(path, r, openMetrics) }

func openMetrics(r *result.Result) ([]byte, error) {
	var m metrics
	m.run(r)
	m.rates(&r.Summary)
	m.counters(r)
	m.targets(r)
	m.verdict(r)
	if err := m.latency(r.Histogram); err != nil {
		return nil, err
	}
	m.b.WriteString("# EOF\n")
	return m.b.Bytes(), nil
}

// metrics is a text under construction.
type metrics struct{ b bytes.Buffer }

// family begins a metric. unit is the end of its name, or empty.
func (m *metrics) family(name, typ, unit, help string) {
	fmt.Fprintf(&m.b, "# HELP %s %s\n# TYPE %s %s\n", name, escapeHelp(help), name, typ)
	if unit != "" {
		fmt.Fprintf(&m.b, "# UNIT %s %s\n", name, unit)
	}
}

// sample writes one value; labels are names and values in turn.
func (m *metrics) sample(name string, value float64, labels ...string) {
	m.b.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		open := ","
		if i == 0 {
			open = "{"
		}
		fmt.Fprintf(&m.b, `%s%s="%s"`, open, labels[i], escapeLabel(labels[i+1]))
	}
	if len(labels) > 0 {
		m.b.WriteByte('}')
	}
	m.b.WriteByte(' ')
	m.b.WriteString(metricNumber(value))
	m.b.WriteByte('\n')
}

func (m *metrics) gauge(name, unit, help string, value float64) {
	m.family(name, "gauge", unit, help)
	m.sample(name, value)
}

// metricNumber writes whole numbers as such, and others as short as they go.
func metricNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

var (
	labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

// escapeLabel also replaces what is not UTF-8, which a path need not be.
func escapeLabel(s string) string { return labelEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }

func escapeHelp(s string) string { return helpEscapes.Replace(s) }

func (m *metrics) run(r *result.Result) {
	s := &r.Spec
	m.family("ringpeak_run_info", "gauge", "", "What was measured, by what: always 1.")
	m.sample("ringpeak_run_info", 1,
		"version", r.Tool.Version, "commit", r.Tool.Commit, "liburing", r.Tool.Liburing, "kernel", r.System.Kernel,
		"engine", string(s.Engine), "op", string(s.Op), "block_size_bytes", fmt.Sprint(s.BlockSize), "depth", fmt.Sprint(s.Depth),
		"submitters", fmt.Sprint(s.Threads), "polled", fmt.Sprint(r.Granted.Polled))
	if t, err := time.Parse(time.RFC3339, r.Started); err == nil {
		m.gauge("ringpeak_start_time_seconds", "seconds", "When the run began, since the epoch.", float64(t.Unix()))
	}
	m.gauge("ringpeak_window_seconds", "seconds", "Length of the measured window.", float64(r.Summary.WindowNS)/1e9)
}

func (m *metrics) rates(s *result.Summary) {
	m.gauge("ringpeak_iops_mean", "", "I/Os per second: successful completions over the measured window.", s.IOPSMean)
	if s.Intervals > 0 {
		m.gauge("ringpeak_iops_median", "", "I/Os per second: median of the whole intervals.", s.IOPSMedian)
		m.gauge("ringpeak_iops_min", "", "I/Os per second in the worst interval.", s.IOPSMin)
		m.gauge("ringpeak_iops_max", "", "I/Os per second in the best interval.", s.IOPSMax)
	}
	m.gauge("ringpeak_bytes_per_second", "", "Bytes read per second over the measured window.", s.BytesPerSecond)
	m.gauge("ringpeak_intervals", "", "Whole intervals that were measured.", float64(s.Intervals))
}

// counters are those of the measured window, by submitter.
func (m *metrics) counters(r *result.Result) {
	for _, c := range []struct {
		name, unit, help string
		of               func(*result.Counters) uint64
	}{
		{"ringpeak_ios_submitted", "", "I/Os that the kernel accepted.", func(c *result.Counters) uint64 { return c.Submitted }},
		{"ringpeak_ios_completed", "", "I/Os that succeeded in full.", func(c *result.Counters) uint64 { return c.Completed }},
		{"ringpeak_ios_failed", "", "I/Os that ended in an error or came back short.", func(c *result.Counters) uint64 { return c.Failed }},
		{"ringpeak_ios_short", "", "Failed I/Os that returned fewer bytes than asked.", func(c *result.Counters) uint64 { return c.Short }},
		{"ringpeak_read_bytes", "bytes", "Bytes of completed reads.", func(c *result.Counters) uint64 { return c.Bytes }},
		{"ringpeak_system_calls", "", "System calls that submit or wait.", func(c *result.Counters) uint64 { return c.Calls }},
	} {
		m.family(c.name, "counter", c.unit, c.help)
		for i := range r.PerSubmitter {
			on := "none" // not pinned
			if i < len(r.Placements) && r.Placements[i].CPU >= 0 {
				on = fmt.Sprint(r.Placements[i].CPU)
			}
			m.sample(c.name+"_total", float64(c.of(&r.PerSubmitter[i])), "submitter", fmt.Sprint(i), "cpu", on)
		}
	}
}

// targets has errors by target, one sample for each way to fail.
func (m *metrics) targets(r *result.Result) {
	m.family("ringpeak_target_info", "gauge", "", "What was read: always 1.")
	for i := range r.Targets {
		t := &r.Targets[i]
		m.sample("ringpeak_target_info", 1, "index", fmt.Sprint(i), "target", t.Path, "kind", string(t.Kind), "device", t.Device,
			"disk", t.Disk, "driver", t.Driver, "model", strings.TrimSpace(t.Model), "firmware", t.Firmware)
	}
	m.family("ringpeak_target_size_bytes", "gauge", "bytes", "Size of a target.")
	for i := range r.Targets {
		m.sample("ringpeak_target_size_bytes", float64(r.Targets[i].SizeBytes), "index", fmt.Sprint(i), "target", r.Targets[i].Path)
	}
	type failure struct{ target, name string }
	var order []failure
	counts := map[failure]uint64{}
	for _, e := range r.Errors {
		f := failure{e.Target, e.Name}
		if f.name == "" {
			f.name = fmt.Sprintf("errno %d", e.Errno)
		}
		if _, there := counts[f]; !there {
			order = append(order, f)
		}
		counts[f] += e.Count
	}
	m.family("ringpeak_errors", "counter", "", "I/Os that failed, by target and error, drain included.")
	for _, f := range order {
		m.sample("ringpeak_errors_total", float64(counts[f]), "target", f.target, "error", f.name)
	}
}

func (m *metrics) verdict(r *result.Result) {
	m.gauge("ringpeak_exit_status", "", "Exit status of the run: 0 is a measurement without errors.", float64(r.End.Status))
	m.gauge("ringpeak_drained", "", "1 when nothing was left in flight.", float64(bit(r.End.Drained)))
	states := []result.CheckState{result.CheckPass, result.CheckWarn, result.CheckFail, result.CheckUnknown}
	m.family("ringpeak_checks", "gauge", "", "Checks of whether to believe the number, by their outcome.")
	for _, s := range states {
		n := 0
		for i := range r.Checks {
			n += bit(r.Checks[i].State == s)
		}
		m.sample("ringpeak_checks", float64(n), "state", string(s))
	}
	m.family("ringpeak_check", "gauge", "", "1 for each check with its outcome.")
	seen := map[string]bool{}
	for i := range r.Checks {
		c := &r.Checks[i]
		if key := c.Code + " " + string(c.State); !seen[key] { // several targets may share one
			seen[key] = true
			m.sample("ringpeak_check", 1, "check", c.Code, "state", string(c.State))
		}
	}
}

// latencyBounds are where the buckets of the metric end, in nanoseconds: two
// in an octave from 1 µs to 68 s, less one, which is where buckets of the
// histogram end as well. They are the same for each run.
func latencyBounds() []int64 {
	var bounds []int64
	for octave := 10; octave < 36; octave++ {
		bounds = append(bounds, 1<<octave-1, 3<<(octave-1)-1)
	}
	return append(bounds, 1<<36-1)
}

func (m *metrics) latency(h *result.Histogram) error {
	if h == nil {
		return nil
	}
	bounds := latencyBounds()
	counts, sum, err := stats.Cumulative(h, bounds)
	if err != nil {
		return err
	}
	const name = "ringpeak_latency_seconds"
	m.family(name, "histogram", "seconds", "Latency of I/Os in the measured window. Those beyond the range of the histogram enter the sum with its end.")
	for i, n := range counts {
		m.sample(name+"_bucket", float64(n), "le", strconv.FormatFloat(float64(bounds[i])/1e9, 'g', -1, 64))
	}
	total := float64(h.Over)
	for _, n := range h.Counts {
		total += float64(n)
	}
	m.sample(name+"_bucket", total, "le", "+Inf")
	m.sample(name+"_count", total)
	m.sample(name+"_sum", sum/1e9)
	return nil
}
