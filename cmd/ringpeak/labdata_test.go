package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ringpeak/go/check"
)

// writeDevice writes data that is nowhere alike over the first bytes of a device.
func writeDevice(t *testing.T, device string, size int64) {
	t.Helper()
	f, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, size)
	rand.Read(b) // never fails
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if err2 := f.Close(); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
}

// TestLabContents: a namespace that was written, through both of its nodes.
// How much of it is in use block devices tell from 6.8 on; QEMU says all.
func TestLabContents(t *testing.T) {
	kernel := lab(t)
	writeDevice(t, "/dev/lab/nvme-small", 1<<20)
	want := outcomes{check.CodeSameData: "pass", check.CodeWritten: "pass", check.CodeRange: "warn", check.CodeMedium: "pass"}
	if kernel < 608 {
		want[check.CodeWritten] = "unknown"
	}
	labChecks(t, "-p0 -b4096 nvme-small"+labShort, want)
	if kernel < 601 {
		return
	}
	want[check.CodeWritten] = "pass" // Identify says so
	want[check.CodeDeviceReads] = "unknown"
	labChecks(t, "-u1 -p0 -b4096 nvme-small-char"+labShort, want)
	passthrough := "/sys/block/" + labNode(t, "nvme-small") + "/queue/iostats_passthrough"
	if !exists(passthrough) {
		if kernel >= 613 {
			t.Errorf("no %s", passthrough)
		}
		return
	}
	setting(t, passthrough, "1")
	want[check.CodeDeviceReads] = "pass"
	want[check.CodeOtherIO] = "pass"
	labChecks(t, "-u1 -p0 -b4096 nvme-small-char"+labShort, want)
}

// TestLabFiles: a file with data, and one that is all hole.
func TestLabFiles(t *testing.T) {
	lab(t)
	dir := directPlace(t)
	full, hole := testFile(t, dir, "full", 4<<20), filepath.Join(dir, "hole")
	f, err := os.Create(hole)
	if err == nil {
		err = f.Truncate(20 << 30)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	labChecks(t, "-p0 -d16 "+full+labShort, outcomes{
		check.CodeWritten: "pass", check.CodeSameData: "pass", check.CodeRange: "warn", check.CodeDeviceReads: "pass", check.CodePageCache: "",
	})
	r := labChecks(t, "-p0 -d16 "+hole+labShort, outcomes{
		check.CodeWritten: "warn", check.CodeSameData: "warn", check.CodeRange: "pass", check.CodeDeviceReads: "warn", check.CodePageCache: "",
	})
	if text := checkOf(r, check.CodeWritten).Text; !strings.Contains(text, "100 %") {
		t.Error(text)
	}
	// Twenty times the guest's memory.
	labChecks(t, "-O0 -p0 -d16 "+hole+labShort, outcomes{check.CodePageCache: "pass", check.CodeRange: ""})
}

// TestLabPageCache: a disk that is in the page cache already.
func TestLabPageCache(t *testing.T) {
	lab(t)
	fd, err := unix.Open("/dev/lab/virtio", unix.O_RDONLY|unix.O_CLOEXEC, 0) // while it is open nothing is dropped
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for b := make([]byte, 1<<20); ; {
		if n, err := unix.Read(fd, b); err != nil {
			t.Fatal(err)
		} else if n == 0 {
			break
		}
	}
	labChecks(t, "-O0 -p0 -d16 virtio"+labShort, outcomes{check.CodePageCache: "warn", check.CodeDeviceReads: "warn", check.CodeRange: ""})
}
