package usage

import (
	"strings"
	"testing"

	"ringpeak/go/result"
)

// spent is a thread of one second: shares of it on a CPU and waiting for one,
// and how often it slept.
func spent(run, wait float64, slept int64) result.ThreadUsage {
	return result.ThreadUsage{
		SpanNS: 1e9, Completed: 32000, Calls: 1000,
		RunNS: known(int64(run * 1e9)), WaitNS: known(int64(wait * 1e9)), VoluntarySwitches: known(slept),
		DepthReadings: 20,
	}
}

func full(t result.ThreadUsage, readings int) result.ThreadUsage {
	t.AtDepth = readings
	return t
}

func usageOf(threads ...result.ThreadUsage) *result.Usage {
	u := &result.Usage{}
	for i, t := range threads {
		u.Submitters = append(u.Submitters, result.SubmitterUsage{Submitter: i, CPU: i, ThreadUsage: t})
		u.Machine.CPUs = append(u.Machine.CPUs, result.CPUUsage{CPU: i})
		u.Total.DepthReadings += t.DepthReadings
		u.Total.AtDepth += t.AtDepth
	}
	at, readings := u.Total.AtDepth, u.Total.DepthReadings
	u.Total = total(u.Submitters)
	u.Total.AtDepth, u.Total.DepthReadings = at, readings
	return u
}

func TestJudge(t *testing.T) {
	const cpu, device, mixed, unknown = result.BoundCPU, result.BoundDevice, result.BoundMixed, result.BoundUnknown
	usual := Load{Depth: 128, SubmitBatch: 32, CompleteBatch: 32}
	polled, nop, sq, one := usual, usual, usual, usual
	polled.Polled, nop.NOP, sq.SQPoll = true, true, true
	one.Depth, one.SubmitBatch, one.CompleteBatch = 1, 1, 1
	with := func(l Load, change func(*Load)) Load {
		change(&l)
		return l
	}
	on := func(u *result.Usage, c result.CPUUsage) *result.Usage {
		for i := range u.Machine.CPUs {
			c.CPU = i
			u.Machine.CPUs[i] = c
		}
		return u
	}
	short, few, blind, blindWait := spent(1, 0, 0), spent(1, 0, 0), spent(1, 0, 0), spent(1, 0, 0)
	short.SpanNS, few.DepthReadings, blind.RunNS, blindWait.WaitNS = 40e6, 7, nil, nil
	busyIRQ := usageOf(spent(0.5, 0, 1000))
	busyIRQ.Machine.InterruptCPU, busyIRQ.Machine.InterruptCPUShare = known(7), ratio(known(95), 100)
	calmIRQ := usageOf(spent(0.5, 0, 1000))
	calmIRQ.Machine.InterruptCPU, calmIRQ.Machine.InterruptCPUShare = known(7), ratio(known(50), 100)
	gathered := full(spent(1, 0, 0), 20)
	gathered.Completed = 50000 // 50 per call

	for name, c := range map[string]struct {
		load  Load
		usage *result.Usage
		want  result.Verdict
		word  string
	}{
		"NOP":                         {nop, usageOf(spent(0.995, 0.005, 0)), cpu, "the submitter ran 99.5% of the time, waited 0.5% for a CPU and never slept"},
		"NOP that shares its CPU":     {nop, usageOf(spent(0.5, 0.5, 0)), cpu, "waited 50.0%"},
		"interrupts, never asleep":    {usual, usageOf(spent(0.99, 0, 5)), cpu, "slept 1.0% (5 times/s)"},
		"interrupts, hardly asleep":   {usual, usageOf(spent(0.9999, 0, 5)), cpu, "hardly slept (5 times/s)"},
		"interrupts, asleep":          {usual, usageOf(spent(0.4, 0.1, 9000)), device, "slept 50.0% (9000 times/s), waiting for I/O"},
		"interrupts, a bit asleep":    {usual, usageOf(spent(0.95, 0, 9000)), unknown, "close to both"},
		"a device that hangs":         {usual, usageOf(spent(0.1, 0, 1)), device, "slept 90.0%"},
		"a device that hangs for all": {usual, usageOf(spent(0, 0, 0)), device, "ran 0.0% of the time and slept 100.0% without a break"},
		"taken by interrupts":         {usual, on(usageOf(spent(0.85, 0, 9000)), result.CPUUsage{BusyShare: 1, InterruptShare: 0.14}), cpu, ""},
		"taken, and idle as well":     {usual, on(usageOf(spent(0.85, 0, 9000)), result.CPUUsage{IdleShare: 0.05, InterruptShare: 0.14}), unknown, ""},
		"taken, but never asleep":     {usual, usageOf(spent(0.85, 0, 0)), cpu, "never slept"},
		"idle CPU proves sleep":       {usual, on(usageOf(spent(0.85, 0, 9000)), result.CPUUsage{IdleShare: 0.12, InterruptShare: 0.1}), device, ""},
		"too short":                   {usual, usageOf(short), unknown, "40 ms are too short"},
		"run time unknown":            {usual, usageOf(blind), unknown, "does not tell"},
		"wait unknown":                {usual, usageOf(blindWait), unknown, "does not tell"},
		"workers":                     {with(usual, func(l *Load) { l.Workers = 2 }), usageOf(spent(0.4, 0, 9000)), unknown, "io-wq"},
		"workers unknown":             {with(usual, func(l *Load) { l.Workers = -1 }), usageOf(spent(0.4, 0, 9000)), device, ""},
		"interrupts fill a CPU":       {usual, busyIRQ, unknown, "CPU 7 spent 95%"},
		"interrupts do not fill one":  {usual, calmIRQ, device, ""},
		"depth 1, asleep":             {one, usageOf(spent(0.3, 0, 9000)), device, "slept 70.0%"},
		"depth 1, taking turns":       {one, usageOf(spent(0.7, 0, 9000)), unknown, "take turns"},
		"depth 1, from the cache":     {one, usageOf(spent(1, 0, 0)), cpu, ""},
		"polled, queue full":          {polled, usageOf(full(spent(1, 0, 0), 19)), device, "always busy, the submitter had a full queue (128 in flight) at 19 of 20 readings and 32.0 completions per call"},
		"polled, queue not full":      {polled, usageOf(full(spent(1, 0, 0), 1)), cpu, "at 1 of 20 readings"},
		"polled, in between":          {polled, usageOf(full(spent(1, 0, 0), 10)), unknown, "close to both"},
		"polled, some preemption":     {polled, usageOf(full(spent(0.9, 0.1, 3), 1)), cpu, ""},
		"polled, steal":               {polled, on(usageOf(full(spent(0.9, 0, 3), 20)), result.CPUUsage{StealShare: 0.1}), device, ""},
		"polled, few readings":        {polled, usageOf(few), unknown, "7 readings"},
		"polled, hybrid":              {polled, usageOf(full(spent(0.5, 0, 9000), 20)), device, "slept 50.0%"},
		"polled, serial":              {with(one, func(l *Load) { l.Polled = true }), usageOf(full(spent(1, 0, 0), 20)), unknown, "-c1 -d1"},
		"polled, batch of the depth":  {with(polled, func(l *Load) { l.SubmitBatch = 128 }), usageOf(gathered), unknown, "50.0 completions where 32"},
		"same, hardly more than must": {with(polled, func(l *Load) { l.SubmitBatch = 128 }), usageOf(full(spent(1, 0, 0), 20)), device, ""},
		"polled, batch of half":       {with(polled, func(l *Load) { l.SubmitBatch = 64 }), usageOf(gathered), device, ""},
		"SQ thread, asleep":           {sq, usageOf(spent(0.4, 0, 9000)), unknown, "SQ thread"},
		"SQ thread, queue full":       {sq, usageOf(full(spent(1, 0, 0), 20)), unknown, "SQ thread"},
		"SQ thread, queue not full":   {sq, usageOf(full(spent(1, 0, 0), 0)), cpu, ""},

		"two alike":     {usual, usageOf(spent(0.4, 0, 9000), spent(0.2, 0, 9000)), device, "the submitters ran 30.0% of the time and slept 70.0% (9000 times/s)"},
		"two of a kind": {nop, usageOf(spent(1, 0, 0), spent(1, 0, 0)), cpu, "the submitters ran 100.0%"},
		"two that differ": {
			usual, usageOf(spent(0.4, 0, 9000), spent(1, 0, 0)), mixed,
			"1 of the submitters are bound by the CPU (number 1 is the first), 1 by the device (number 0)",
		},
		"one of two unclear": {usual, usageOf(spent(0.4, 0, 9000), spent(0.95, 0, 9000)), unknown, "submitter 1 ran 95.0%"},
		"nobody":             {usual, usageOf(), unknown, "no submitter"},
	} {
		got := Judge(c.usage, c.load)
		if got.Verdict != c.want || !strings.Contains(got.Why, c.word) {
			t.Errorf("%s: %s: %s\nwant %s with %q", name, got.Verdict, got.Why, c.want, c.word)
		}
	}
}
