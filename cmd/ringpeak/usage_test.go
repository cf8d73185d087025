package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// usage: what the threads spent encloses the window and adds up, and what is
// not known has a reason.
func (c *checker) usage(r *result.Result) {
	if len(r.Repeats) == 0 {
		c.usageOf(r, r.Usage, r.Bound, &r.Summary, r.PerSubmitter)
		return
	}
	c.want(r.Usage == nil && r.Bound == nil, "usage of all repeats")
	for i := range r.Repeats {
		n := &r.Repeats[i]
		c.usageOf(r, n.Usage, n.Bound, &n.Summary, n.PerSubmitter)
	}
}

func (c *checker) usageOf(r *result.Result, u *result.Usage, bound *result.Bound, summary *result.Summary, perSubmitter []result.Counters) {
	if c.want(u != nil && bound != nil, "usage %v, bound %v", u, bound); u == nil || bound == nil {
		return
	}
	c.want(len(u.Submitters) == r.Spec.Threads, "usage of %d submitters of %d", len(u.Submitters), r.Spec.Threads)
	verdicts := []result.Verdict{result.BoundCPU, result.BoundDevice, result.BoundMixed, result.BoundUnknown}
	c.want(slices.Contains(verdicts, bound.Verdict) && bound.Why != "", "bound %+v", bound)
	completed, calls, span := uint64(0), uint64(0), int64(0)
	sums := make([]int64, len(spent(&u.Total)))
	for i := range u.Submitters {
		s := &u.Submitters[i]
		c.want(s.Submitter == i && (len(r.Repeats) > 0 || s.TID == r.Placements[i].TID) && s.CPU == r.Placements[i].CPU, "usage %d is of %+v", i, s)
		c.want(s.SpanNS >= summary.WindowNS, "submitter %d: read over %d ns of a window of %d", i, s.SpanNS, summary.WindowNS)
		c.want(s.Completed >= perSubmitter[i].Completed && s.Calls >= perSubmitter[i].Calls, "submitter %d: %d completed in %d calls, in the window more", i, s.Completed, s.Calls)
		c.want(s.AtDepth >= 0 && s.AtDepth <= s.DepthReadings, "submitter %d: full at %d of %d readings", i, s.AtDepth, s.DepthReadings)
		if s.RunNS != nil {
			c.want(*s.RunNS >= 0 && *s.RunNS <= s.SpanNS+s.SpanNS/10+20e6, "submitter %d ran for %d of %d ns", i, *s.RunNS, s.SpanNS)
		}
		if s.UserNS != nil && s.SystemNS != nil {
			c.want(*s.UserNS+*s.SystemNS == *s.RunNS, "submitter %d: user %d + system %d is not %d ns", i, *s.UserNS, *s.SystemNS, *s.RunNS)
		}
		completed, calls, span = completed+s.Completed, calls+s.Calls, span+s.SpanNS
		for k, n := range spent(&s.ThreadUsage) {
			if n != nil {
				sums[k] += *n
			}
		}
	}
	c.want(u.Total.Completed == completed && u.Total.Calls == calls && u.Total.SpanNS == span, "total usage %+v", u.Total)
	for k, n := range spent(&u.Total) {
		if n != nil {
			c.want(*n == sums[k], "usage %d: submitters come to %d, the total is %d", k, sums[k], *n)
		}
	}
	unknown := 0
	for _, n := range append(spent(&u.Total), u.Machine.StealNS, u.Machine.ThermalThrottles, u.Machine.QuotaThrottles) {
		if n == nil {
			unknown++
		}
	}
	c.want(unknown == 0 || len(u.Unknown) > 0, "%d figures are unknown, and nothing says why", unknown)
	for _, code := range []string{"cpu-steal", "throttled", "preempted"} {
		c.want(slices.ContainsFunc(r.Checks, func(k result.Check) bool { return k.Code == code }), "no check %s", code)
	}
}

func spent(t *result.ThreadUsage) []result.OptInt {
	return []result.OptInt{
		t.RunNS, t.UserNS, t.SystemNS, t.WaitNS, t.Slices, t.VoluntarySwitches, t.InvoluntarySwitches,
		t.Migrations, t.MinorFaults, t.MajorFaults, t.Cycles, t.Instructions,
	}
}

// spoiledUsage are ways to spoil a document that its reader must find.
var spoiledUsage = map[string]func(r *result.Result){
	"no usage":        func(r *result.Result) { r.Usage = nil },
	"usage sum":       func(r *result.Result) { *r.Usage.Total.RunNS++ },
	"usage completed": func(r *result.Result) { r.Usage.Total.Completed++ },
	"usage span":      func(r *result.Result) { r.Usage.Submitters[0].SpanNS = 1 },
	"ran too long":    func(r *result.Result) { *r.Usage.Submitters[0].RunNS *= 3 },
	"no verdict":      func(r *result.Result) { r.Bound.Verdict = "" },
	"no reason":       func(r *result.Result) { r.Usage.Unknown, r.Usage.Machine.StealNS = nil, nil },
}

// Two submitters that are busy on one CPU take it from each other: the run
// says so, and that the CPU is its limit.
func TestSharedCPUIsSaid(t *testing.T) {
	needMeasure(t)
	cpus := sysfs.At("").AllowedCPUs()
	if !cpus.OK() {
		t.Skip("no list of allowed CPUs")
	}
	o := ringpeak(t, "-N1", "-n2", "-r0.5", "--json", "-", "--cpus", fmt.Sprint(cpus.Value[0]))
	r, err := document([]byte(o.stdout))
	if err != nil {
		t.Fatal(err)
	}
	if r.Usage.Total.WaitNS == nil {
		t.Skip("this kernel does not account for the run queue")
	}
	at := slices.IndexFunc(r.Checks, func(c result.Check) bool { return c.Code == "preempted" })
	if c := r.Checks[at]; c.State != result.CheckWarn || !strings.Contains(c.Advice, "--cpus") {
		t.Errorf("%+v", c)
	}
	if r.Bound.Verdict != result.BoundCPU || !strings.Contains(r.Bound.Why, "for a CPU") {
		t.Errorf("%+v", r.Bound)
	}
	for i, s := range r.Usage.Submitters {
		if share := float64(*s.WaitNS) / float64(s.SpanNS); share < 0.1 {
			t.Errorf("submitter %d waited for its CPU for %.3f of the time", i, share)
		}
	}
}
