package bench

import (
	"ringpeak/go/check"
	"ringpeak/go/engine"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// latency merges the submitters' histograms.
func (r *run) latency() error {
	var parts []*result.Histogram
	var windows []*engine.Window
	var completed uint64
	var rate, inFlight float64
	for _, m := range r.crew.back() {
		if w := m.sub.Window(); w != nil {
			parts = append(parts, &w.Histogram)
			windows = append(windows, w)
			completed += w.Completed
			rate += float64(w.Completed) / w.Length.Seconds()
			inFlight += w.InFlight
		}
	}
	if len(parts) == 0 {
		return nil
	}
	merged, err := stats.MergeHistograms(parts...)
	if err != nil {
		return err
	}
	r.res.Histogram = merged
	if r.res.Latency, err = stats.Latency(merged); err != nil {
		return err
	}
	r.checkLatency(completed, rate, inFlight)
	if r.res.Latency != nil {
		r.checkClock(windows)
	}
	return nil
}

// checkLatency: every completion of the window is in the histogram, and
// latency and rate agree.
func (r *run) checkLatency(completed uint64, rate, inFlight float64) {
	r.res.Checks = append(r.res.Checks, check.LatencyComplete(r.res.Histogram, completed))
	if r.res.Latency != nil {
		r.res.Checks = append(r.res.Checks, check.Little(r.res, rate, inFlight))
	}
}
