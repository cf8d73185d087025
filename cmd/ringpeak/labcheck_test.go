package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ringpeak/go/check"
	"ringpeak/go/result"
)

// outcomes are what checks must come to, by code; "" is for one that must not
// be there.
type outcomes map[string]result.CheckState

// labChecks is labGood, with the outcomes of checks.
func labChecks(t *testing.T, line string, want outcomes) *result.Result {
	t.Helper()
	r := labGood(t, line)
	t.Log(line)
	wantChecks(t, r, want)
	return r
}

func wantChecks(t *testing.T, r *result.Result, want outcomes) {
	t.Helper()
	for code, state := range want {
		wantCheck(t, r, code, state)
	}
}

// labAgain runs what must come true on a quiet machine: a busy one gets more
// than one try.
func labAgain(t *testing.T, try func() bool) bool {
	t.Helper()
	for range attempts {
		if try() {
			return true
		}
	}
	return false
}

// labNode is a device of the lab by the name that the kernel has for it.
func labNode(t *testing.T, name string) string {
	t.Helper()
	node, err := filepath.EvalSymlinks("/dev/lab/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(node)
}

// setting changes a file of sysfs, and changes it back at the end.
func setting(t *testing.T, file, value string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(value), 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	was := string(b)
	if _, chosen, ok := strings.Cut(was, "["); ok { // one of several: "none [mq-deadline]"
		was, _, _ = strings.Cut(chosen, "]")
	}
	t.Cleanup(func() {
		if err := os.WriteFile(file, []byte(was), 0); err != nil {
			t.Error(err)
		}
	})
}

// TestLabQuiet: a drive that is read as it should be, and nobody else there.
// What it holds was never written, and there is little of it.
func TestLabQuiet(t *testing.T) {
	lab(t)
	r := labChecks(t, "-p0 -b4096 -d16 -r0.3 --no-ceiling=0 nvme-irq", outcomes{
		check.CodeAccounting: "pass", check.CodeOverflow: "pass", check.CodeStalled: "pass", check.CodeWorkers: "pass", check.CodePolled: "",
		check.CodeLatency: "", check.CodeClock: "", check.CodeLittle: "",
		check.CodeDeviceReads: "pass", check.CodeOtherIO: "pass", check.CodeMedium: "pass", check.CodePageCache: "",
		check.CodeRange: "warn", check.CodeSameData: "warn",
		check.CodeCPUShared: "pass", check.CodeQueueShared: "", check.CodeTags: "pass", check.CodeBlockSize: "pass",
		check.CodeSteady: "unknown", check.CodeRepeats: "", check.CodeCeiling: "pass", check.CodeMigrated: "pass",
		check.CodeSteal:     "unknown", // of a machine that QEMU emulates it does not tell
		check.CodeThrottled: "unknown", // as for the root of all groups, and for heat
	})
	if text := checkOf(r, check.CodeSteal).Text; !strings.Contains(text, "not reported any steal") {
		t.Error(text)
	}
	want := result.CheckPass
	if !exists("/boot/config-" + r.System.Kernel) {
		want = result.CheckUnknown // its configuration was not kept when this kernel was fetched
	}
	wantCheck(t, r, check.CodeDebugKernel, want)
}

// TestLabMedium: devices that are memory, with what their drivers are known
// for: no counters and no queues in brd, no NOWAIT in zram.
func TestLabMedium(t *testing.T) {
	lab(t)
	labChecks(t, "-p0 -d16 -n2 --pin none brd"+labShort, outcomes{
		check.CodeMedium: "warn", check.CodeRange: "", check.CodeWritten: "", check.CodeSameData: "",
		check.CodeDeviceReads: "unknown", check.CodeTags: "", check.CodeQueueSettings: "", check.CodeQueueShared: "", check.CodeCPUShared: "unknown",
	})
	labChecks(t, "-p0 -d16 zram"+labShort, outcomes{check.CodeMedium: "warn", check.CodeWorkers: "warn"})
}

// TestLabBlockSize: reads that the kernel splits, which the device counts one
// by one, and reads of parts of a physical block.
func TestLabBlockSize(t *testing.T) {
	lab(t)
	r := labChecks(t, "-p0 -b512k -d4 null-irq"+labShort, outcomes{
		check.CodeBlockSize: "warn", check.CodeDeviceReads: "pass", check.CodeTags: "pass", check.CodeMedium: "warn",
	})
	if len(r.Targets) != 1 || r.Targets[0].MaxSectorsKB == nil {
		t.Fatalf("%+v", r.Targets)
	}
	most := *r.Targets[0].MaxSectorsKB
	each := fmt.Sprintf("(%d.0", (512+most-1)/most) // and some that straddle the end
	if text := checkOf(r, check.CodeDeviceReads).Text; !strings.Contains(text, each) {
		t.Errorf("%s lacks %s", text, each)
	}
	labChecks(t, "-p0 -b512 -d4 virtio"+labShort, outcomes{check.CodeBlockSize: "warn"})
}

// TestLabTooFewTags: more at once than a hardware queue holds, in a run too short
// for a ceiling.
func TestLabTooFewTags(t *testing.T) {
	lab(t)
	labChecks(t, "-p0 -b512 -d64 --no-ceiling=0 null-tags -r0.07", outcomes{check.CodeTags: "warn", check.CodeCeiling: "unknown"})
}

// byRate is what a check comes to that heeds the rate: the emulated machine is
// slower than its limit on one host, and faster on the next.
func byRate(r *result.Result) []result.CheckState {
	const limit = 200_000
	switch rate := r.Summary.IOPSMean; {
	case rate < 0.9*limit:
		return []result.CheckState{result.CheckPass}
	case rate > 1.1*limit:
		return []result.CheckState{result.CheckWarn}
	}
	return []result.CheckState{result.CheckPass, result.CheckWarn}
}

// TestLabQueue: two submitters on the one hardware queue of a disk that has a
// scheduler and keeps counters; then on two queues of one that does neither.
func TestLabQueue(t *testing.T) {
	lab(t)
	r := labGood(t, "-p0 -b512 -n2 null-one"+labShort)
	wantCheck(t, r, check.CodeQueueShared, byRate(r)...)
	wantCheck(t, r, check.CodeQueueSettings, byRate(r)...)
	for code, part := range map[string]string{
		check.CodeQueueShared: "submitters 0, 1 share hardware queue 0", check.CodeQueueSettings: "iostats",
	} {
		if text := checkOf(r, code).Text; !strings.Contains(text, part) {
			t.Errorf("%s: %s", code, text)
		}
	}
	queue := "/sys/block/" + labNode(t, "null-irq") + "/queue/"
	setting(t, queue+"scheduler", "none")
	setting(t, queue+"iostats", "0")
	if wbt := queue + "wbt_lat_usec"; exists(wbt) {
		setting(t, wbt, "0")
	}
	r = labChecks(t, "-p0 -b512 -n2 null-irq"+labShort, outcomes{
		check.CodeQueueShared: "pass", check.CodeCPUShared: "pass", check.CodeDeviceReads: "unknown", check.CodeOtherIO: "unknown",
	})
	if c := checkOf(r, check.CodeQueueSettings); r.Summary.IOPSMean < 1_000_000 && (c.State != result.CheckPass || !strings.Contains(c.Text, "no setting")) {
		t.Errorf("%+v", c)
	}
}

// TestLabNullPolled: nobody can tell whether null_blk is polled, and its reads
// take many times what a NOP does here.
func TestLabNullPolled(t *testing.T) {
	labFrom(t, 601, "poll queues in null_blk")
	r := labChecks(t, "-p1 -b512 -s1 -c1 --no-ceiling=0 null-poll -r0.4", outcomes{check.CodePolled: "unknown"})
	want := result.CheckPass
	if c := r.Ceiling; c == nil || c.Fraction == nil {
		t.Fatalf("no ceiling: %+v", c)
	} else if *c.Fraction >= 0.75 {
		want = result.CheckWarn
	}
	wantCheck(t, r, check.CodeCeiling, want)
}

// TestLabDebugKernel: a kernel whose configuration nobody knows, and one whose
// command line asks for checks.
func TestLabDebugKernel(t *testing.T) {
	lab(t)
	const line = "-N1 -r0.05"
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	if config := "/boot/config-" + unix.ByteSliceToString(u.Release[:]); exists(config) {
		if err := os.Rename(config, config+".away"); err != nil {
			t.Fatal(err)
		}
		defer os.Rename(config+".away", config)
	}
	labChecks(t, line, outcomes{check.CodeDebugKernel: "unknown"})
	cmdline := filepath.Join(t.TempDir(), "cmdline")
	if err := os.WriteFile(cmdline, []byte("console=ttyS0 slub_debug=FZ,bio-0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(cmdline, "/proc/cmdline", "", unix.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount("/proc/cmdline", 0)
	r := labChecks(t, line, outcomes{check.CodeDebugKernel: "warn"})
	if text := checkOf(r, check.CodeDebugKernel).Text; !strings.Contains(text, "slub_debug=FZ,bio-0") {
		t.Error(text)
	}
}
