package usage

import (
	"fmt"

	"ringpeak/go/result"
)

// Load is what Judge has to know of a run beside its usage.
type Load struct {
	NOP, Polled, SQPoll bool
	// Depth, SubmitBatch and CompleteBatch are those of a submitter.
	Depth, SubmitBatch, CompleteBatch int
	Workers                           int // io-wq threads that took part; -1 is unknown
}

// Where the lines are drawn.
const (
	shortestSpanNS = 50_000_000 // for any judgement
	awakeMost      = 0.02       // asleep for no more than that: it had no time left
	asleepLeast    = 0.10       // asleep for that and more: it had time
	turnsLeast     = 0.50       // the same where submitter and device take turns
	rarely         = 20.0       // sleeps per second that mean nothing
	upLeast        = 0.50       // running or waiting to: what never went to sleep does that and more, whatever interrupts take
	fewestReadings = 8          // of the depth
	fullLeast      = 0.90       // of the readings: the queue is full
	fullMost       = 0.10       // of the readings: it is not
	asFewAsCan     = 1.25       // completions per call in units of those waited for
	busyInterrupts = 0.90       // of a CPU's time
)

// Judge says whether the submitters or the device were the limit.
//
// A submitter sleeps only when it has filled its depth and not enough has come
// back, so:
//
//   - One that was asleep for 10 % of its span or more had time left: the
//     device was the limit, at this depth; a greater one may give more. Asleep
//     is what is neither run_ns nor wait_ns, less what interrupts and the
//     hypervisor took from its CPU; or as much of it as that CPU was idle.
//   - One that was asleep for no more than 2 %, and is not polled, had none:
//     the CPU was. Waiting for a CPU is a lack of CPU as well, and so is what
//     interrupts take, unless it slept often beside them on a CPU that idled.
//   - A polled one never sleeps, and its busy time proves nothing. But it waits
//     in the kernel only while its queue is full. A queue that is full at 90 %
//     of the readings is waited for: the device was the limit. One that is full
//     at 10 % of them or less is not: completions are there before anybody
//     waits. The first needs a batch (-s) of at most half the depth: with a
//     larger one each batch can fill the queue, and the calls must also come
//     back with hardly more completions than they waited for (-c).
//   - Where each call waits for all that is in flight (-c equal to -d, as at
//     depth 1), submitter and device take turns: asleep for half of the span
//     or more is the device, and of a polled one nothing can be told.
//   - SQ threads and io-wq workers do part of the submitter's work, and their
//     time is not in its: a full queue or sleep then proves nothing.
//
// All else is unknown, with the reason. So is a device's verdict while some CPU
// does nearly nothing but interrupts, which may then be the limit.
func Judge(u *result.Usage, l Load) result.Bound {
	verdicts := map[result.Verdict][]int{}
	var first [2]result.Bound
	for i := range u.Submitters {
		s := &u.Submitters[i]
		who := fmt.Sprintf("submitter %d", i)
		if len(u.Submitters) == 1 {
			who = "the submitter"
		}
		b := l.judge(who, &s.ThreadUsage, s.CPU, &u.Machine)
		if i == 0 {
			first[0] = b
		}
		if b.Verdict == result.BoundUnknown && len(verdicts[b.Verdict]) == 0 {
			first[1] = b
		}
		verdicts[b.Verdict] = append(verdicts[b.Verdict], i)
	}
	one := len(u.Submitters) == 1
	switch cpu, device, unclear := verdicts[result.BoundCPU], verdicts[result.BoundDevice], verdicts[result.BoundUnknown]; {
	case len(u.Submitters) == 0:
		return unclearf("there is no submitter")
	case one:
		return first[0]
	case len(unclear) > 0:
		return first[1]
	case len(cpu) > 0 && len(device) > 0:
		return result.Bound{Verdict: result.BoundMixed, Why: fmt.Sprintf("%d of the submitters are bound by the CPU (number %d is the first), %d by the device (number %d)",
			len(cpu), cpu[0], len(device), device[0])}
	}
	// They agree: the figures of all tell more than those of the first.
	if b := l.judge("the submitters", &u.Total, -1, &u.Machine); b.Verdict == first[0].Verdict {
		return b
	}
	return first[0]
}

func unclearf(format string, args ...any) result.Bound {
	return result.Bound{Verdict: result.BoundUnknown, Why: fmt.Sprintf(format, args...)}
}

// judge is Judge for one submitter, who is called who.
func (l *Load) judge(who string, t *result.ThreadUsage, cpu int, m *result.MachineUsage) result.Bound {
	switch {
	case t.SpanNS < shortestSpanNS:
		return unclearf("%.0f ms are too short to tell", float64(t.SpanNS)/1e6)
	case t.RunNS == nil || t.WaitNS == nil || t.VoluntarySwitches == nil:
		return unclearf("the kernel does not tell how the thread spent its time")
	}
	n := newNap(who, t, m.CPUs, cpu)
	serial := l.CompleteBatch >= l.Depth
	switch {
	case n.slept() && l.Workers > 0:
		return unclearf("the reads were done by io-wq workers, whose time is not in the submitter's")
	case n.slept() && m.InterruptCPUShare != nil && *m.InterruptCPUShare >= busyInterrupts:
		return unclearf("%s, but CPU %d spent %.0f%% of its time on interrupts and may be the limit",
			n.text, *m.InterruptCPU, 100**m.InterruptCPUShare)
	case n.slept() && l.SQPoll:
		return unclearf("%s, waiting for the device or for the SQ thread that submits for it", n.text)
	case n.slept() && serial && n.most < turnsLeast:
		return unclearf("%s; each call waits for all that is in flight (-c%d -d%d), so they and the device take turns", n.text, l.CompleteBatch, l.Depth)
	case n.slept():
		return result.Bound{Verdict: result.BoundDevice, Why: n.text + ", waiting for I/O"}
	case !n.awake():
		return unclearf("%s: close to both limits", n.text)
	case l.Polled && !l.NOP, l.SQPoll:
		return l.spinning(who, t, serial)
	}
	return result.Bound{Verdict: result.BoundCPU, Why: n.text}
}

// nap is how much a thread slept, as shares of its span: at most, at least,
// and as its CPU shows by being idle.
type nap struct {
	least, most, idle float64
	perSecond         float64 // times
	cpuFull           bool    // the CPU that it is pinned to was never idle
	text              string
}

func newNap(who string, t *result.ThreadUsage, cpus []result.CPUUsage, cpu int) nap {
	span := float64(t.SpanNS)
	run, wait := float64(*t.RunNS)/span, float64(*t.WaitNS)/span
	n := nap{perSecond: float64(*t.VoluntarySwitches) / (span / 1e9)}
	// Without a switch it may have been asleep from the beginning, as when the device hangs.
	throughout := *t.VoluntarySwitches == 0 && run+wait < upLeast
	if *t.VoluntarySwitches > 0 || throughout {
		n.most = max(0, 1-run-wait)
	}
	taken, idle := 0.0, 0.0 // by interrupts and the hypervisor; by nobody
	of := 0
	for _, c := range cpus {
		if cpu < 0 || c.CPU == cpu {
			taken += c.InterruptShare + c.StealShare
			idle += c.IdleShare
			of++
		}
	}
	if of > 0 {
		taken /= float64(of)
	}
	n.least = max(0, n.most-taken)
	if cpu >= 0 {
		n.idle = min(n.most, idle)
		n.cpuFull = of > 0 && idle <= awakeMost
	}
	n.text = fmt.Sprintf("%s ran %.1f%% of the time", who, 100*run)
	if wait >= 0.001 {
		n.text += fmt.Sprintf(", waited %.1f%% for a CPU", 100*wait)
	}
	switch {
	case throughout:
		n.text += fmt.Sprintf(" and slept %.1f%% without a break", 100*n.most)
	case *t.VoluntarySwitches == 0:
		n.text += " and never slept"
	case n.most < 0.0005:
		n.text += fmt.Sprintf(" and hardly slept (%.0f times/s)", n.perSecond)
	default:
		n.text += fmt.Sprintf(" and slept %.1f%% (%.0f times/s)", 100*n.most, n.perSecond)
	}
	return n
}

func (n *nap) slept() bool { return n.least >= asleepLeast || n.idle >= asleepLeast }

func (n *nap) awake() bool {
	return n.most <= awakeMost || n.least <= awakeMost && (n.perSecond < rarely || n.cpuFull)
}

// spinning judges a submitter that is always busy by how full its queue was.
func (l *Load) spinning(who string, t *result.ThreadUsage, serial bool) result.Bound {
	if t.DepthReadings < fewestReadings {
		return unclearf("a polled submitter is always busy, and %d readings of how full its queue was are too few", t.DepthReadings)
	}
	full := float64(t.AtDepth) / float64(t.DepthReadings)
	perCall := 0.0
	if t.Calls > 0 {
		perCall = float64(t.Completed) / float64(t.Calls)
	}
	seen := fmt.Sprintf("always busy, %s had a full queue (%d in flight) at %d of %d readings", who, l.Depth, t.AtDepth, t.DepthReadings)
	switch {
	case serial:
		return unclearf("a polled submitter is always busy, and with each call waiting for all that is in flight (-c%d -d%d) its queue does not tell either", l.CompleteBatch, l.Depth)
	case full <= fullMost:
		return result.Bound{Verdict: result.BoundCPU, Why: seen + ": completions are there before anybody waits"}
	case l.SQPoll:
		return unclearf("%s, which the device or the SQ thread that submits may be the reason of", seen)
	case full < fullLeast:
		return unclearf("%s: close to both limits", seen)
	case 2*l.SubmitBatch > l.Depth && perCall > asFewAsCan*float64(l.CompleteBatch):
		return unclearf("%s, which each batch of %d fills, and calls came back with %.1f completions where %d would do", seen, l.SubmitBatch, perCall, l.CompleteBatch)
	}
	return result.Bound{Verdict: result.BoundDevice, Why: fmt.Sprintf("%s and %.1f completions per call, which are waited for", seen, perCall)}
}
