package check

import (
	"testing"

	"ringpeak/go/device"
	"ringpeak/go/result"
)

func TestAccounting(t *testing.T) {
	outcomes(t, CodeAccounting, []outcome{
		{"balanced", nil, pass, "1000000 submitted = 1000000 completed + 0 failed"},
		{"stuck", func(e *Evidence) { e.Totals[0].Completed -= 3; e.Result.End.Drained = false }, fail, "3 I/Os never came back: 1000000 submitted, 999997 completed|kernel log"},
		{"lost, though drained", func(e *Evidence) { e.Totals[0].Completed-- }, fail, "1 I/Os never came back"},
		{"invented", func(e *Evidence) { e.Totals[0].Failed++ }, fail, "1 I/Os more came back than went out|report this"},
		{"hangs", func(e *Evidence) { e.Result.End.Drained = false }, fail, "did not come back from the kernel"},
	})
}

func TestOverflowAndWorkers(t *testing.T) {
	outcomes(t, CodeOverflow, []outcome{
		{"none", nil, pass, "0 CQEs"},
		{"some", func(e *Evidence) { e.Overflows = 7 }, fail, "7 CQEs"},
		{"no ring", func(e *Evidence) { e.Result.Spec.Engine = result.EngineAIO }, none, ""},
	})
	outcomes(t, CodeWorkers, []outcome{
		{"none", nil, pass, "no kernel worker"},
		{"some", func(e *Evidence) { e.Workers = 3 }, warn, "3 io-wq"},
		{"not known", func(e *Evidence) { e.Workers = -1 }, unknown, "could not be listed"},
	})
}

// intervals makes the run's, of that length each; those listed are empty.
func intervals(ns int64, n int, empty ...int) func(*Evidence) {
	return func(e *Evidence) {
		for i := range n {
			iv := result.Interval{LengthNS: ns, Total: result.Counters{Completed: 10}}
			for _, j := range empty {
				if i == j {
					iv.Total.Completed = 0
				}
			}
			e.Result.Intervals = append(e.Result.Intervals, iv)
		}
	}
}

func TestStalledAndLate(t *testing.T) {
	outcomes(t, CodeStalled, []outcome{
		{"no intervals", nil, none, ""},
		{"no", intervals(5e8, 4), pass, ""},
		{"half a second", intervals(5e8, 4, 1), pass, ""},
		{"a second", intervals(5e8, 4, 1, 2), warn, "1.0 s on end|kernel log"},
		{"twice half a second", intervals(5e8, 4, 1, 3), pass, ""},
	})
	outcomes(t, CodeLate, []outcome{
		{"no intervals", nil, none, ""},
		{"in time", intervals(1e9, 3), pass, "the longest lasted 1 s"},
		{"a little late", intervals(145e7, 3), pass, ""},
		{"late", intervals(16e8, 3), warn, "1.6 s instead of 1 s"},
		{"a scheduling slice late", both(intervals(55e6, 3), func(e *Evidence) { e.Result.Spec.IntervalNS = 10e6 }), pass, "0.055 s"},
		{"many slices late", both(intervals(61e6, 3), func(e *Evidence) { e.Result.Spec.IntervalNS = 10e6 }), warn, "0.061 s instead of 0.01 s"},
	})
}

func TestPolled(t *testing.T) {
	polled := func(e *Evidence) { e.Polled = true; e.Result.Targets[0].CanPoll = result.ChoiceYes }
	outcomes(t, CodePolled, []outcome{
		{"interrupt-driven", nil, none, ""},
		{"not readable", polled, unknown, "/proc/interrupts"},
		{"cannot", func(e *Evidence) {
			polled(e)
			e.Result.Targets[0].CanPoll, e.Result.Targets[0].WhyNotPoll = result.ChoiceNo, "no queues"
		}, fail, "not in effect on /dev/nvme0n1: no queues|-p0"},
		{"nothing told apart", func(e *Evidence) {
			polled(e)
			e.InterruptsBefore, e.InterruptsAfter = readInterrupts(t, 5), readInterrupts(t, 5)
		}, unknown, "cannot be told apart"},
		{"few", func(e *Evidence) {
			polled(e)
			e.Result.Targets[0].IRQOwners = []string{"nvme0"}
			e.InterruptsBefore, e.InterruptsAfter = readInterrupts(t, 5), readInterrupts(t, 25)
		}, pass, "20 interrupts for 1000000"},
		{"one of two targets tells", func(e *Evidence) {
			polled(e)
			r := e.Result
			r.Targets[0].IRQOwners = []string{"nvme0"}
			r.Targets = append(r.Targets, result.Target{Path: "/dev/nullb0", CanPoll: result.ChoiceYes})
			e.InterruptsBefore, e.InterruptsAfter = readInterrupts(t, 5), readInterrupts(t, 25)
		}, unknown, "of /dev/nullb0 cannot be told apart"},
		{"others write", func(e *Evidence) {
			polled(e)
			e.Result.Targets[0].IRQOwners = []string{"nvme0"}
			e.Result.Summary.Total.Completed = 1000
			e.counts(func(m *DiskMoment) { m.Stat.Value.Writes, m.Stat.Value.Flushes = 300, 50 })
			e.InterruptsBefore, e.InterruptsAfter = readInterrupts(t, 5), readInterrupts(t, 405)
		}, pass, "400 interrupts for 1000"},
		{"more than others write", func(e *Evidence) {
			polled(e)
			e.Result.Targets[0].IRQOwners = []string{"nvme0"}
			e.Result.Summary.Total.Completed = 1000
			e.counts(func(m *DiskMoment) { m.Stat.Value.Writes = 300 })
			e.InterruptsBefore, e.InterruptsAfter = readInterrupts(t, 5), readInterrupts(t, 505)
		}, fail, "500 interrupts for 1000"},
		{"many", func(e *Evidence) {
			polled(e)
			e.Result.Targets[0].IRQOwners = []string{"nvme0"}
			e.InterruptsBefore, e.InterruptsAfter = readInterrupts(t, 5), readInterrupts(t, 50_005)
		}, fail, "50000 interrupts for 1000000"},
	})
}

func readInterrupts(t *testing.T, n int) *device.Interrupts {
	t.Helper()
	root := tree(t, map[string]string{"proc/interrupts": "           CPU0\n 24:  " + numbers([]int{n}) + "   PCI-MSI 1-edge      nvme0q1\n"})
	in, err := device.ReadInterrupts(root)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// With failed I/Os the law says nothing; without, it is that of stats.
func TestLittle(t *testing.T) {
	r := &result.Result{Latency: &result.Latency{MeanNS: 1e6, MaxNS: 1e6}, Summary: result.Summary{WindowNS: 1e9}}
	for _, c := range []struct {
		failed   uint64
		inFlight float64
		want     result.CheckState
	}{{0, 8, pass}, {0, 16, fail}, {1, 16, unknown}, {1, 8, unknown}} {
		r.Summary.Total.Failed = c.failed
		if k := Little(r, 8000, c.inFlight); k.State != c.want || k.Code != CodeLittle || (k.Advice == "") != (c.want == pass) {
			t.Errorf("%+v: %+v", c, k)
		}
	}
}

func TestLatencyComplete(t *testing.T) {
	h := &result.Histogram{Counts: []int64{3, 4}, Over: 1}
	if c := LatencyComplete(h, 8); c.State != pass || c.Code != CodeLatency {
		t.Errorf("%+v", c)
	}
	if c := LatencyComplete(h, 9); c.State != fail || c.Advice == "" {
		t.Errorf("%+v", c)
	}
}
