package usage

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// The limits of the checks.
const (
	stealWarn    = 0.005       // of the time of the submitters' CPUs
	stealSpanNS  = 200_000_000 // below, ticks are too coarse
	waitWarn     = 0.005       // of a submitter's span, on the run queue
	longWaitNS   = 100_000     // mean wait; above it is no wake-up any more, but a queue
	switchesWarn = 50.0        // involuntary ones a second, where waiting is not accounted
)

// Checks are those about CPU time: cpu-steal, throttled, preempted, and
// migrated where that can be told. Unknown is never a pass.
func Checks(u *result.Usage) []result.Check {
	list := []result.Check{checkSteal(u), checkThrottled(u), checkPreempted(u)}
	if c := checkMigrated(u); c != nil {
		list = append(list, *c)
	}
	for i := range list {
		if list[i].State == result.CheckPass {
			list[i].Advice = ""
		}
	}
	return list
}

// checkSteal: time that the hypervisor gave to others. It is accounted in
// ticks, so one more than there was may be seen.
func checkSteal(u *result.Usage) result.Check {
	c := result.Check{Code: "cpu-steal", Advice: "use a machine, or a virtual machine with CPUs, of its own"}
	m := &u.Machine
	all := float64(m.SpanNS) * float64(len(m.CPUs))
	switch {
	case m.StealNS == nil || all == 0:
		c.State, c.Text = result.CheckUnknown, "not known: "+why(u, "steal_ns")
	case m.SpanNS < stealSpanNS:
		c.State = result.CheckUnknown
		c.Text = fmt.Sprintf("%.0f ms are too short for a time that is accounted in ticks of %d ms", float64(m.SpanNS)/1e6, sysfs.TickNS/1_000_000)
		c.Advice = "measure longer"
	default:
		c.State = result.CheckPass
		c.Text = fmt.Sprintf("the hypervisor took %.2f%% of the time of the submitters' CPUs (%d ms)", 100*float64(*m.StealNS)/all, *m.StealNS/1_000_000)
		switch {
		case float64(*m.StealNS-sysfs.TickNS) > stealWarn*all:
			c.State = result.CheckWarn
		case *m.StealNS > 0:
			c.Text += ", which is little or a single tick"
		}
	}
	return c
}

// checkThrottled: CPU time that a quota, or clock that heat took.
func checkThrottled(u *result.Usage) result.Check {
	c := result.Check{Code: "throttled", State: result.CheckPass}
	m := &u.Machine
	var said, advice []string
	see := func(n result.OptInt, key, moved, still, remedy string) {
		switch {
		case n == nil:
			if c.State == result.CheckPass {
				c.State = result.CheckUnknown
			}
			said = append(said, why(u, key))
		case *n > 0:
			c.State = result.CheckWarn
			said = append(said, moved)
			advice = append(advice, remedy)
		default:
			said = append(said, still)
		}
	}
	held := ""
	if m.QuotaThrottledNS != nil {
		held = fmt.Sprintf(" for %.1f ms", float64(*m.QuotaThrottledNS)/1e6)
	}
	see(m.QuotaThrottles, "quota_throttles",
		fmt.Sprintf("the control group's CPU quota held this process back %s%s", times(value(m.QuotaThrottles)), held),
		"no CPU quota held it back", "raise or remove the quota (cpu.max, cpu.cfs_quota_us)")
	see(m.ThermalThrottles, "thermal_throttles",
		fmt.Sprintf("%d events of thermal or power throttling", value(m.ThermalThrottles)),
		"the CPUs did not get too hot", "look after cooling and power limits, or fix the frequency")
	c.Text, c.Advice = strings.Join(said, "; "), strings.Join(advice, "; ")
	if c.State == result.CheckUnknown {
		c.Advice = "watch the CPU's frequency while it runs (turbostat, cpupower monitor)"
	}
	return c
}

// checkPreempted: a submitter that was ready to run and did not. Waking up
// takes a few microseconds each time, which is no other's fault: only where
// the mean wait is longer, or it was made to go more often than it went, does
// it share its CPU.
func checkPreempted(u *result.Usage) result.Check {
	c := result.Check{
		Code: "preempted", State: result.CheckPass,
		Advice: "keep others off the submitters' CPUs: fewer submitters than CPUs (-n), --cpus, taskset, isolcpus; stop what else runs",
	}
	worst, share := -1, -1.0
	for i := range u.Submitters {
		s := &u.Submitters[i]
		switch {
		case s.SpanNS < shortestSpanNS:
			c.State, c.Text, c.Advice = result.CheckUnknown, fmt.Sprintf("%.0f ms are too short to tell", float64(s.SpanNS)/1e6), "measure longer"
			return c
		case s.InvoluntarySwitches == nil:
			c.State, c.Text, c.Advice = result.CheckUnknown, "not known: "+why(u, "involuntary_switches"), "mount /proc"
			return c
		case s.WaitNS == nil || s.Slices == nil:
			return withoutWait(u, c)
		}
		if w := float64(*s.WaitNS) / float64(s.SpanNS); w > share {
			worst, share = i, w
		}
		if crowded(&s.ThreadUsage) {
			c.State = result.CheckWarn
		}
	}
	if worst < 0 {
		c.State, c.Text = result.CheckUnknown, "there is no submitter"
		return c
	}
	s := &u.Submitters[worst]
	c.Text = fmt.Sprintf("submitter %d waited for its CPU for %.2f%% of the time, %s it had to make room for others", s.Submitter, 100*share, times(*s.InvoluntarySwitches))
	if c.State == result.CheckPass && share > waitWarn {
		c.Text += fmt.Sprintf("; that is waking up %s, %.1f us each", times(*s.Slices), float64(*s.WaitNS)/float64(max(*s.Slices, 1))/1e3)
	}
	return c
}

// crowded says that others had a submitter's CPU.
func crowded(t *result.ThreadUsage) bool {
	if float64(*t.WaitNS) <= waitWarn*float64(t.SpanNS) {
		return false
	}
	mean := *t.WaitNS / max(*t.Slices, 1)
	return mean > longWaitNS || t.VoluntarySwitches == nil || *t.InvoluntarySwitches > *t.VoluntarySwitches
}

// withoutWait judges by the switches alone; few of them prove nothing, since
// each may have been long.
func withoutWait(u *result.Usage, c result.Check) result.Check {
	c.State = result.CheckUnknown
	for i := range u.Submitters {
		s := &u.Submitters[i]
		if s.InvoluntarySwitches == nil {
			continue
		}
		if rate := float64(*s.InvoluntarySwitches) / (float64(s.SpanNS) / 1e9); rate > switchesWarn {
			c.State = result.CheckWarn
			c.Text = fmt.Sprintf("submitter %d had to make room for others %s, %.0f times a second", s.Submitter, times(*s.InvoluntarySwitches), rate)
			return c
		}
	}
	c.Text = "how long submitters waited for a CPU is not known: " + why(u, "wait_ns")
	return c
}

// checkMigrated: a thread that is pinned to one CPU stays there, unless its
// cpuset or the CPUs themselves change. It is nil where a submitter is not
// pinned, or moves are not counted.
func checkMigrated(u *result.Usage) *result.Check {
	known := len(u.Submitters) > 0
	for i := range u.Submitters {
		s := &u.Submitters[i]
		known = known && s.CPU >= 0 && s.Migrations != nil
		if s.CPU >= 0 && value(s.Migrations) > 0 {
			return &result.Check{
				Code: "migrated", State: result.CheckWarn,
				Text:   fmt.Sprintf("submitter %d changed its CPU %s, although it is pinned to CPU %d", s.Submitter, times(*s.Migrations), s.CPU),
				Advice: "look for who changes affinities, cpusets or the set of online CPUs",
			}
		}
	}
	if !known {
		return nil
	}
	return &result.Check{Code: "migrated", State: result.CheckPass, Text: "every submitter stayed on its CPU"}
}

// why finds the reason for a missing figure.
func why(u *result.Usage, key string) string {
	for _, m := range u.Unknown {
		for what := range strings.SplitSeq(m.What, ", ") {
			if what == key {
				return m.Why
			}
		}
	}
	return "the kernel does not tell"
}

func value(n result.OptInt) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// times is a count of events in words.
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
