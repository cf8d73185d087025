package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/bench"
	"ringpeak/go/check"
	"ringpeak/go/result"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// suspend makes the lab's device-mapper disk keep all I/O to itself, until it
// is resumed: a device that hangs, without a driver's time-out.
func suspend(t *testing.T, on bool) {
	t.Helper()
	control, err := os.OpenFile("/dev/mapper/control", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	r := unix.DmIoctl{Version: [3]uint32{4, 0, 0}}
	r.Data_size = uint32(unsafe.Sizeof(r))
	copy(r.Name[:], "dm")
	if on {
		r.Flags = unix.DM_SUSPEND_FLAG | unix.DM_SKIP_LOCKFS_FLAG
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, control.Fd(), unix.DM_DEV_SUSPEND, uintptr(unsafe.Pointer(&r))); errno != 0 {
		t.Fatalf("suspend the dm disk: %v", errno)
	}
}

// TestLabStuck: a device that hangs. The run ends by its time and the limit of
// draining, counts only what completed, and names the device.
func TestLabStuck(t *testing.T) {
	lab(t)
	suspend(t, true)
	defer suspend(t, false)
	doc := filepath.Join(t.TempDir(), "a.json")
	o := start(t, labArgs("-p0 -r1 -d96 -b512 --json "+doc+" dm")...).end()
	if o.status != result.StatusIO || o.took > time.Second+bench.DefaultDrainTimeout+soon {
		t.Errorf("status %d after %v:\n%s%s", o.status, o.took, o.stdout, o.stderr)
	}
	for _, want := range []string{"/dev/lab/dm (96 in flight)", "Nothing was measured"} {
		if !strings.Contains(o.stderr+o.stdout, want) {
			t.Errorf("%q is not said:\n%s%s", want, o.stdout, o.stderr)
		}
	}
	for line := range strings.Lines(o.stdout) {
		if strings.HasPrefix(line, "IOPS=") && !strings.HasPrefix(line, "IOPS=0,") {
			t.Errorf("nothing completed, and yet %q", line)
		}
	}
	t.Log(o.took, o.stderr)
	r := readResult(t, doc)
	wantCheck(t, r, check.CodeAccounting, result.CheckFail)
	wantCheck(t, r, check.CodeStalled, result.CheckWarn)
	if r.Bound == nil || r.Bound.Verdict == result.BoundCPU {
		t.Errorf("a device that hangs is what limits, not the CPU: %+v", r.Bound)
	}
	for _, code := range []string{check.CodeDeviceReads, check.CodeSameData} {
		wantCheck(t, r, code, result.CheckUnknown) // it is left alone
	}

	p := start(t, labArgs("-p0 -d96 -b512 --interval 100ms dm")...)
	p.waitFor("IOPS=")
	// More than two: a signal that is still pending swallows the next.
	for range 5 {
		_ = p.cmd.Process.Signal(syscall.SIGINT)
		time.Sleep(200 * time.Millisecond)
	}
	if o := p.end(); o.status != 130 || o.took > soon {
		t.Errorf("two signals: status %d after %v: %s", o.status, o.took, o.stderr)
	}
}
