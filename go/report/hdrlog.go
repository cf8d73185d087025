package report

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// WriteHDRLog writes the latencies of r as a log of HdrHistogram, version 1.3,
// with one interval, the measured window. Values are nanoseconds; times and
// the column Interval_Max have the units that the format gives them, seconds
// and, by the usual factor of 1e6, milliseconds. The window begins at second 0
// after the base time, which is the start of the run to the second.
//
// A run without samples has no interval. Samples above the histogram's range,
// which the format cannot hold, are counted in a comment.
func WriteHDRLog(w io.Writer, r *result.Result) error {
	text, err := hdrLog(r)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("write latency log: %w", err)
	}
	return nil
}

// SaveHDRLog writes it to path, as SaveJSON does.
func SaveHDRLog(path string, r *result.Result) error { return saveAs(path, r, hdrLog) }

func hdrLog(r *result.Result) ([]byte, error) {
	began, err := time.Parse(time.RFC3339, r.Started)
	if err != nil {
		return nil, fmt.Errorf("latency log: %w", err)
	}
	start := began.UnixMilli()
	var b bytes.Buffer
	out := hdrhistogram.NewHistogramLogWriter(&b)
	out.SetBaseTime(start)
	comments := []string{fmt.Sprintf("ringpeak %s: values are nanoseconds, Interval_Max is in milliseconds (maxValueUnitRatio 1000000)", r.Tool.Version)}
	if h := r.Histogram; h != nil && h.Over > 0 {
		comments = append(comments, fmt.Sprintf("%d samples above %s are not in here", h.Over, duration(h.HighestNS)))
	}
	for _, c := range comments {
		_ = out.OutputComment(c) // into memory
	}
	_ = out.OutputLogFormatVersion()
	_ = out.OutputStartTime(start)
	_ = out.OutputBaseTime(start)
	_ = out.OutputLegend()
	if r.Histogram == nil {
		return b.Bytes(), nil
	}
	h, err := stats.HDR(r.Histogram)
	if err != nil {
		return nil, err
	}
	if h.TotalCount() == 0 {
		return b.Bytes(), nil
	}
	h.SetStartTimeMs(start)
	h.SetEndTimeMs(start + r.Summary.WindowNS/1e6)
	if err := out.OutputIntervalHistogram(h); err != nil {
		return nil, fmt.Errorf("latency log: %w", err)
	}
	return b.Bytes(), nil
}
