package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
	"ringpeak/go/sysfs"
)

// documentAt is the document in a file; it must be whole and right.
func documentAt(t *testing.T, path string) *result.Result {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := document(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// document reads a result as a strict reader of its schema does, and checks
// every invariant that a document has whatever was measured.
func document(b []byte) (*result.Result, error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var r result.Result
	if err := dec.Decode(&r); err != nil {
		return nil, fmt.Errorf("not a result: %w", err)
	}
	if rest := bytes.TrimSpace(b[dec.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("%q follows the document", rest)
	}
	if err := schematest.Validate(b); err != nil {
		return nil, fmt.Errorf("not as the schema says: %w", err)
	}
	var c checker
	c.sums(&r)
	c.time(&r)
	c.repeats(&r)
	c.rates(&r)
	c.placements(&r)
	c.ending(&r)
	c.latency(&r)
	c.ceiling(&r)
	c.asserted(&r)
	c.usage(&r)
	return &r, c.err()
}

// checker collects what is wrong with a document.
type checker []string

func (c *checker) want(ok bool, format string, args ...any) {
	if !ok {
		*c = append(*c, fmt.Sprintf(format, args...))
	}
}

func (c checker) err() error {
	if len(c) == 0 {
		return nil
	}
	return fmt.Errorf("%q", []string(c))
}

// sums: every total is the sum of its parts, and no I/O is lost or invented.
func (c *checker) sums(r *result.Result) {
	c.want(r.Schema == result.SchemaVersion, "schema %q", r.Schema)
	files := 0
	for _, p := range r.Placements {
		files += max(1, len(p.Targets))
	}
	var sum, submitters result.Counters
	for i, iv := range r.Intervals {
		var parts result.Counters
		for _, s := range iv.Submitters {
			parts = parts.Add(s)
		}
		c.want(parts == iv.Total, "interval %d: submitters add up to %+v, not %+v", i, parts, iv.Total)
		sum = sum.Add(iv.Total)
		c.targets(r, fmt.Sprint("interval ", i), iv.Targets, iv.Total)
		c.want(len(iv.InFlight) == files, "interval %d: %d in-flight counts for %d files", i, len(iv.InFlight), files)
		for _, n := range iv.InFlight { // not read at one moment, so their sum says nothing
			c.want(int(n) <= r.Spec.Depth, "interval %d: %d in flight at depth %d", i, n, r.Spec.Depth)
		}
		c.same(r, "submitted and come back", sum.Submitted, sum.Completed+sum.Failed)
	}
	for _, s := range r.PerSubmitter {
		submitters = submitters.Add(s)
	}
	total := r.Summary.Total
	c.targets(r, "window", r.PerTarget, total)
	c.want(sum == total, "intervals add up to %+v, the summary says %+v", sum, total)
	c.want(submitters == total, "submitters add up to %+v, the summary says %+v", submitters, total)
	size := uint64(r.Spec.BlockSize)
	if !r.Spec.NeedsTarget() {
		size = 0
	}
	if size == 0 {
		c.want(total.Bytes == 0, "%d bytes of no-ops", total.Bytes)
	} else {
		c.want(total.Bytes%size == 0, "%d bytes in reads of %d", total.Bytes, size)
		c.want(total.Bytes/size == total.Completed, "%d bytes in %d reads of %d", total.Bytes, total.Completed, size)
	}
	if total.Short > total.Failed {
		c.same(r, "short and failed", total.Short, total.Failed)
	}
}

// targets: what was read of each adds up to what was read, exactly, at every moment.
func (c *checker) targets(r *result.Result, what string, targets []result.TargetCounters, total result.Counters) {
	var sum result.TargetCounters
	for _, t := range targets {
		sum = sum.Add(t)
		c.want(t.Bytes == t.Completed*uint64(r.Spec.BlockSize), "%s: %+v of a target in reads of %d", what, t, r.Spec.BlockSize)
	}
	want := result.TargetCounters{Completed: total.Completed, Failed: total.Failed, Bytes: total.Bytes}
	if !r.Spec.NeedsTarget() {
		want = result.TargetCounters{}
	}
	c.want(sum == want, "%s: targets add up to %+v, the total is %+v", what, sum, want)
	c.want(len(targets) == len(r.Targets), "%s: %d counters of %d targets", what, len(targets), len(r.Targets))
}

// same: two counters of running submitters agree. They are read one after the
// other, so up to the depth may lie between them, and more when the reader was
// interrupted there. The check "accounting" is exact, at rest.
func (c *checker) same(r *result.Result, what string, a, b uint64) {
	slack := uint64(r.Spec.Depth*r.Spec.Threads) + max(a, b)/20
	c.want(max(a, b)-min(a, b) <= slack, "%s: %d and %d", what, a, b)
}

// time: intervals follow each other without gaps, and N seconds make N of
// them; in each repeat, if there are several.
func (c *checker) time(r *result.Result) {
	var at, window int64
	whole := 0
	count := map[int]int64{} // by repeat
	for i, iv := range r.Intervals {
		if i > 0 && iv.Repeat != r.Intervals[i-1].Repeat {
			window, at = window+at, 0
		}
		c.want(iv.StartNS == at, "interval %d starts at %d, the one before ended at %d", i, iv.StartNS, at)
		c.want(iv.LengthNS > 0, "interval %d has length %d", i, iv.LengthNS)
		c.want(!iv.Warmup, "interval %d is of the warm-up", i)
		at += iv.LengthNS
		count[iv.Repeat]++
		if !iv.Partial {
			whole++
		}
	}
	window += at
	c.want(r.Summary.WindowNS == window, "the window is %d, the intervals make %d", r.Summary.WindowNS, window)
	c.want(r.Summary.Intervals == whole, "%d whole intervals, the summary says %d", whole, r.Summary.Intervals)
	if r.End.Reason != "time" {
		return
	}
	s := &r.Spec
	n := int64(max(s.Repeat, 1))
	c.want(int64(len(count)) == n, "intervals of %d repeats of %d", len(count), n)
	if s.UntilSteady && n > 1 {
		return // an earlier repeat may have been steady sooner
	}
	c.want(window >= n*s.RuntimeNS, "%d ns measured of %d x %d", window, n, s.RuntimeNS)
	for k, got := range count {
		want := (s.RuntimeNS + s.IntervalNS - 1) / s.IntervalNS
		c.want(got == want, "%d intervals, not %d, in repeat %d", got, want, k)
	}
}

// repeats: they come to the whole, and everything that is null says why.
func (c *checker) repeats(r *result.Result) {
	s := &r.Summary
	c.want((s.IOPSStdDev == nil) == (s.Intervals < 2), "%d intervals, standard deviation known: %v", s.Intervals, s.IOPSStdDev != nil)
	c.want((s.IOPSMedian95 == nil) == (s.IOPSMedian95Why != ""), "interval of the median %+v, unknown because %q", s.IOPSMedian95, s.IOPSMedian95Why)
	c.want(s.InFlightBefore+s.Total.Submitted == s.Total.Completed+s.Total.Failed+s.InFlightAfter, "the window does not balance: %+v", *s)
	c.want((r.Spec.Repeat > 1) == (len(r.Repeats) > 0), "%d repeats of %d", len(r.Repeats), r.Spec.Repeat)
	if len(r.Repeats) == 0 {
		return
	}
	var total result.Counters
	var window int64
	intervals := 0
	for i := range r.Repeats {
		k := &r.Repeats[i]
		c.want(k.Number == i+1, "repeat %d is called %d", i+1, k.Number)
		total = total.Add(k.Summary.Total)
		window += k.Summary.WindowNS
		intervals += k.Summary.Intervals
		var parts result.Counters
		for _, p := range k.PerSubmitter {
			parts = parts.Add(p)
		}
		c.want(parts == k.Summary.Total, "repeat %d: submitters add up to %+v, not %+v", k.Number, parts, k.Summary.Total)
	}
	c.want(total == s.Total && window == s.WindowNS && intervals == s.Intervals, "repeats come to %+v in %d ns, the summary is %+v", total, window, *s)
}

// rates: each follows from its own counters.
func (c *checker) rates(r *result.Result) {
	s := &r.Summary
	seconds := float64(s.WindowNS) / 1e9
	near := func(what string, got, want float64) {
		c.want(math.Abs(got-want) <= 1e-6*math.Abs(want), "%s is %g, not %g", what, got, want)
	}
	near("iops_mean", s.IOPSMean, float64(s.Total.Completed)/seconds)
	near("bytes_per_second", s.BytesPerSecond, float64(s.Total.Bytes)/seconds)
	if n := float64(s.Total.Calls); n > 0 {
		near("submitted_per_call", s.SubmittedPerCall, float64(s.Total.Submitted)/n)
		near("completed_per_call", s.CompletedPerCall, float64(s.Total.Completed)/n)
	}
	c.want(s.IOPSMin <= s.IOPSMedian && s.IOPSMedian <= s.IOPSMax, "min %g, median %g, max %g", s.IOPSMin, s.IOPSMedian, s.IOPSMax)
}

// placements: every submitter is somewhere, and every target has one.
func (c *checker) placements(r *result.Result) {
	c.want(len(r.Placements) == r.Spec.Threads, "%d placements of %d submitters", len(r.Placements), r.Spec.Threads)
	c.want(len(r.Targets) == len(r.Spec.Targets), "%d targets of %d", len(r.Targets), len(r.Spec.Targets))
	allowed, err := sysfs.ParseCPUList(r.System.Allowed)
	c.want(err == nil, "cpus_allowed: %v", err)
	isAllowed := map[int]bool{-1: r.Spec.Pinning == result.PinNone}
	for _, cpu := range allowed {
		isAllowed[cpu] = true
	}
	has := make([]bool, len(r.Targets))
	for i, p := range r.Placements {
		c.want(p.Submitter == i && p.TID > 0, "placement %d is %+v", i, p)
		c.want(isAllowed[p.CPU], "submitter %d on CPU %d of %s", i, p.CPU, r.System.Allowed)
		for _, t := range p.Targets {
			has[t] = true
		}
	}
	for i, ok := range has {
		c.want(ok, "nobody reads target %d", i)
		t := &r.Targets[i]
		c.want(t.Blocks == t.SizeBytes/r.Spec.BlockSize, "target %d: %d blocks in %d bytes", i, t.Blocks, t.SizeBytes)
	}
}

// ending: the status follows from what happened.
func (c *checker) ending(r *result.Result) {
	e := &r.End
	var failed uint64
	for _, n := range r.Errors {
		failed += n.Count
	}
	c.want(failed >= r.Summary.Total.Failed, "%d failed, %d in the list of errors", r.Summary.Total.Failed, failed)
	clean := failed == 0 && r.Summary.Total.Completed > 0 && e.Drained && e.Error == ""
	c.want((e.Status == 0) == clean, "status %d after %+v with %d errors", e.Status, *e, failed)
	for _, k := range r.Checks {
		if k.Code == "littles-law" {
			continue // of short runs on a busy machine it says what is so
		}
		c.want(k.State != result.CheckFail, "check %s fails: %s", k.Code, k.Text)
	}
}

// latency: asked for means recorded, in ascending percentiles.
func (c *checker) latency(r *result.Result) {
	if r.Spec.Latency != (r.Histogram != nil) {
		c.want(false, "latency asked for: %v, histogram: %v", r.Spec.Latency, r.Histogram != nil)
	}
	c.clock(r)
	l := r.Latency
	if l == nil {
		return
	}
	c.want(l.Samples > 0 && l.MinNS > 0 && float64(l.MinNS) <= l.MeanNS && l.MeanNS <= float64(l.MaxNS),
		"%d samples, min %d, mean %g, max %d", l.Samples, l.MinNS, l.MeanNS, l.MaxNS)
	for i := 1; i < len(l.Percentiles); i++ {
		a, b := l.Percentiles[i-1], l.Percentiles[i]
		c.want(a.Percent < b.Percent && a.NS <= b.NS, "percentiles %v, %v", a, b)
	}
}

// clock: there is one, with a rate if it needs one, and it was looked after when latency came of it.
func (c *checker) clock(r *result.Result) {
	k := &r.Clock
	tsc := k.Source == result.ClockTSC
	c.want(tsc || k.Source == result.ClockMonotonic, "clock %+v", *k)
	c.want(tsc == (k.TSCHz != nil && *k.TSCHz > 1e6) && tsc == (k.WhyNotTSC == ""), "clock %+v", *k)
	c.want(k.ReadNS != nil && *k.ReadNS > 0, "clock %+v", *k)
	c.want((tsc && r.Latency != nil) == (k.DeviationPercent != nil), "clock %+v", *k)
	found := false
	for _, check := range r.Checks {
		found = found || check.Code == "clock"
	}
	c.want(found == (r.Latency != nil), "check clock: %v, latency: %v", found, r.Latency != nil)
	if s := r.TimeSplit; s != nil {
		c.want(s.SampledRounds > 0 && s.SampledIOs > 0 && s.WaitingRounds <= s.SampledRounds &&
			s.PrepareNSPerIO >= 0 && s.EnterNSPerIO > 0 && s.ReapNSPerIO >= 0, "time split %+v", *s)
	}
}
