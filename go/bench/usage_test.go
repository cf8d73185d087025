package bench

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ringpeak/go/device"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// A run in real time says what its threads spent, and what limited it.
func TestUsageOfARun(t *testing.T) {
	x := newRig(t, 2, 1)
	res, err := x.run()
	if err != nil {
		t.Fatal(err)
	}
	u := res.Usage
	if u == nil || res.Bound == nil || len(u.Submitters) != 2 {
		t.Fatalf("usage %+v, bound %+v", u, res.Bound)
	}
	for i, s := range u.Submitters {
		if s.TID != res.Placements[i].TID || s.CPU != -1 || s.Submitter != i {
			t.Errorf("submitter %d: %+v", i, s)
		}
		if s.SpanNS < res.Summary.WindowNS || s.Completed < res.PerSubmitter[i].Completed || s.Calls < res.PerSubmitter[i].Calls {
			t.Errorf("submitter %d: %+v does not enclose the window of %d ns with %+v", i, s.ThreadUsage, res.Summary.WindowNS, res.PerSubmitter[i])
		}
		if s.RunNS == nil || *s.RunNS > s.SpanNS {
			t.Errorf("submitter %d ran for %v of %d ns", i, s.RunNS, s.SpanNS)
		}
		// It looks at the ends of 5 intervals; the fake waits with its depth full, nearly always.
		if s.DepthReadings < 5 || s.AtDepth > s.DepthReadings || s.AtDepth == 0 {
			t.Errorf("submitter %d: its queue was full at %d of %d readings", i, s.AtDepth, s.DepthReadings)
		}
	}
	if u.Total.Completed != u.Submitters[0].Completed+u.Submitters[1].Completed || u.Total.DepthReadings != 2*u.Submitters[0].DepthReadings {
		t.Errorf("total %+v", u.Total)
	}
	for _, code := range []string{"cpu-steal", "throttled", "preempted"} {
		if checkOf(res, code).Text == "" {
			t.Errorf("no check %s", code)
		}
	}
	// The fake sleeps between its rounds, and waits for nobody but them.
	if u.Submitters[0].VoluntarySwitches != nil && *u.Submitters[0].VoluntarySwitches == 0 && *u.Submitters[1].VoluntarySwitches == 0 {
		t.Error("nobody slept")
	}
}

// Where nothing can be read nothing is known, and nothing passes.
func TestUsageOfNothing(t *testing.T) {
	x := newRig(t, 1, 1)
	x.Root = t.TempDir()
	res, err := x.run()
	if err != nil || res.Usage == nil {
		t.Fatalf("usage %+v, %v", res.Usage, err)
	}
	if res.Bound.Verdict != result.BoundUnknown {
		t.Errorf("%+v", res.Bound)
	}
	for _, code := range []string{"cpu-steal", "throttled", "preempted"} {
		if c := checkOf(res, code); c.State != result.CheckUnknown {
			t.Errorf("%+v", c)
		}
	}
	if !slices.ContainsFunc(res.Usage.Unknown, func(u result.Unknown) bool {
		return u.What == "device_interrupts" && strings.Contains(u.Why, "/proc/interrupts")
	}) {
		t.Errorf("reasons %+v", res.Usage.Unknown)
	}
}

// A run that breaks has its readings all the same.
func TestUsageOfABrokenRun(t *testing.T) {
	x := newRig(t, 2, 1)
	x.only(1, fake.Script{IO: fake.FatalAt(40, syscall.ENODEV)})
	res, err := x.run()
	if err == nil || res.Usage == nil || res.Bound == nil {
		t.Errorf("usage %+v, bound %+v, %v", res.Usage, res.Bound, err)
	}
}

func TestDeviceInterrupts(t *testing.T) {
	read := func(text string) *device.Interrupts {
		root := t.TempDir()
		if err := os.MkdirAll(filepath.Join(root, "proc"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "proc/interrupts"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := device.ReadInterrupts(root)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	before := read("  CPU0 CPU1\n 24: 5 6 PCI-MSI 1-edge  nvme0q1\n")
	after := read("  CPU0 CPU1\n 24: 9 16 PCI-MSI 1-edge  nvme0q1\n")
	r := &run{res: &result.Result{Targets: []result.Target{{IRQOwners: []string{"nvme0"}}}}}
	r.Spec.Op = result.OpRead
	u := &result.Usage{}
	r.deviceInterrupts(u, before, after)
	if n := u.Machine.DeviceInterrupts["nvme0"]; n != 14 || len(u.Unknown) != 0 {
		t.Errorf("%+v", u)
	}
	for why, f := range map[string]func(u *result.Usage){
		"no device": func(u *result.Usage) {
			nop := &run{res: r.res}
			nop.Spec.Op = result.OpNop
			nop.deviceInterrupts(u, nil, nil)
		},
		"cannot be read": func(u *result.Usage) { r.deviceInterrupts(u, nil, after) },
		"told apart": func(u *result.Usage) {
			other := &run{res: &result.Result{Targets: []result.Target{{IRQOwners: []string{"loop0"}}}}}
			other.Spec.Op = result.OpRead
			other.deviceInterrupts(u, before, after)
		},
	} {
		u := &result.Usage{}
		if f(u); u.Machine.DeviceInterrupts != nil || len(u.Unknown) != 1 || !strings.Contains(u.Unknown[0].Why, why) {
			t.Errorf("%s: %+v", why, u)
		}
	}
}
