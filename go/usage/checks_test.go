package usage

import (
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// queued is a submitter of one second.
func queued(waitMS float64, slices, voluntary, involuntary int64) result.ThreadUsage {
	return result.ThreadUsage{
		SpanNS: 1e9, WaitNS: known(int64(waitMS * 1e6)), Slices: known(slices),
		VoluntarySwitches: known(voluntary), InvoluntarySwitches: known(involuntary), Migrations: known(0),
	}
}

// calm is a usage that every check passes.
func calm(threads ...result.ThreadUsage) *result.Usage {
	if threads == nil {
		threads = []result.ThreadUsage{queued(0, 1, 0, 1)}
	}
	u := usageOf(threads...)
	m := &u.Machine
	m.SpanNS = 2e9
	m.StealNS, m.QuotaThrottles, m.QuotaThrottledNS, m.ThermalThrottles = known(0), known(0), known(0), known(0)
	return u
}

func TestChecks(t *testing.T) {
	const pass, warn, unknown = result.CheckPass, result.CheckWarn, result.CheckUnknown
	machine := func(change func(m *result.MachineUsage)) *result.Usage {
		u := calm(queued(0, 1, 0, 1), queued(0, 1, 0, 1))
		change(&u.Machine)
		return u
	}
	because := func(u *result.Usage, what, why string) *result.Usage {
		u.Unknown = append(u.Unknown, result.Unknown{What: what, Why: why})
		return u
	}
	thread := func(change func(*result.ThreadUsage)) *result.Usage {
		k := queued(0, 1, 0, 1)
		change(&k)
		return calm(k)
	}
	moved := calm(queued(0, 1, 0, 1), queued(0, 1, 0, 1))
	moved.Submitters[1].Migrations = known(3)
	loose := calm(queued(0, 1, 0, 1))
	loose.Submitters[0].Migrations, loose.Submitters[0].CPU = known(3), -1

	for name, c := range map[string]struct {
		usage *result.Usage
		code  string
		state result.CheckState
		word  string
	}{
		"no steal":        {machine(func(*result.MachineUsage) {}), "cpu-steal", pass, "0.00%"},
		"a tick of steal": {machine(func(m *result.MachineUsage) { m.StealNS = known(10e6) }), "cpu-steal", pass, "0.25% of the time of the submitters' CPUs (10 ms)"},
		"little steal":    {machine(func(m *result.MachineUsage) { m.StealNS = known(30e6) }), "cpu-steal", pass, "0.75%"}, // less a tick: 0.5 %
		"steal":           {machine(func(m *result.MachineUsage) { m.StealNS = known(40e6) }), "cpu-steal", warn, "1.00%"},
		"short for steal": {machine(func(m *result.MachineUsage) { m.SpanNS = 199e6 }), "cpu-steal", unknown, "ticks of 10 ms"},
		"steal unknown":   {because(machine(func(m *result.MachineUsage) { m.StealNS = nil }), "steal_ns", "it never does"), "cpu-steal", unknown, "it never does"},
		"steal, no CPUs":  {machine(func(m *result.MachineUsage) { m.CPUs = nil }), "cpu-steal", unknown, ""},

		"not throttled": {machine(func(*result.MachineUsage) {}), "throttled", pass, "no CPU quota held it back; the CPUs did not get too hot"},
		"quota": {
			machine(func(m *result.MachineUsage) { m.QuotaThrottles, m.QuotaThrottledNS = known(3), known(12.5e6) }), "throttled", warn,
			"held this process back 3 times for 12.5 ms",
		},
		"heat": {machine(func(m *result.MachineUsage) { m.ThermalThrottles = known(2) }), "throttled", warn, "2 events"},
		"heat unknown": {
			because(machine(func(m *result.MachineUsage) { m.ThermalThrottles = nil }), "thermal_throttles", "not counted"), "throttled", unknown,
			"no CPU quota held it back; not counted",
		},
		"quota, heat unknown": {machine(func(m *result.MachineUsage) { m.ThermalThrottles, m.QuotaThrottles = nil, known(1) }), "throttled", warn, "held this process back once"},
		"quota unknown, heat": {machine(func(m *result.MachineUsage) { m.ThermalThrottles, m.QuotaThrottles = known(1), nil }), "throttled", warn, "1 events"},
		"quota unknown":       {machine(func(m *result.MachineUsage) { m.QuotaThrottles, m.QuotaThrottledNS = nil, nil }), "throttled", unknown, "does not tell"},

		"alone":            {calm(queued(0.1, 5, 0, 5)), "preempted", pass, "0.01%"},
		"at the limit":     {calm(queued(5, 5, 0, 5)), "preempted", pass, "0.50%"},
		"shared":           {calm(queued(0, 1, 0, 1), queued(500, 150, 0, 150)), "preempted", warn, "submitter 1 waited for its CPU for 50.00% of the time, 150 times"},
		"many short ones":  {calm(queued(6, 600, 0, 600)), "preempted", warn, "0.60%"},
		"wake-ups":         {calm(queued(60, 20000, 20000, 5)), "preempted", pass, "waking up 20000 times, 3.0 us each"},
		"behind others":    {calm(queued(300, 1000, 1000, 0)), "preempted", warn, "30.00%"},
		"short":            {thread(func(k *result.ThreadUsage) { k.SpanNS = 49e6 }), "preempted", unknown, "49 ms"},
		"switches unknown": {thread(func(k *result.ThreadUsage) { k.InvoluntarySwitches = nil }), "preempted", unknown, "not known"},
		"wait unknown":     {because(thread(func(k *result.ThreadUsage) { k.WaitNS = nil }), "wait_ns, slices", "no SCHED_INFO"), "preempted", unknown, "no SCHED_INFO"},
		"only switches":    {thread(func(k *result.ThreadUsage) { k.WaitNS, k.InvoluntarySwitches = nil, known(51) }), "preempted", warn, "51 times a second"},
		"nobody":           {&result.Usage{}, "preempted", unknown, "no submitter"},

		"moved":             {moved, "migrated", warn, "submitter 1 changed its CPU 3 times, although it is pinned to CPU 1"},
		"moved, not pinned": {loose, "migrated", "", ""},
		"not moved":         {calm(), "migrated", pass, "stayed"},
		"moves unknown":     {thread(func(k *result.ThreadUsage) { k.Migrations = nil }), "migrated", "", ""},
	} {
		list := Checks(c.usage)
		at := slices.IndexFunc(list, func(k result.Check) bool { return k.Code == c.code })
		if at < 0 {
			if c.state != "" {
				t.Errorf("%s: no check %s", name, c.code)
			}
			continue
		}
		if c.state == "" {
			t.Errorf("%s: %+v", name, list[at])
			continue
		}
		got := list[at]
		if got.State != c.state || !strings.Contains(got.Text, c.word) || (got.State == pass) != (got.Advice == "") {
			t.Errorf("%s: %+v\nwant %s with %q", name, got, c.state, c.word)
		}
	}
}
