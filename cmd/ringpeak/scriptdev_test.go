package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// attachLoop binds a loop device to a file until the test ends.
func attachLoop(t *testing.T, file string, args ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("loop devices need root")
	}
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skip("no loop devices: ", err)
	}
	losetup, err := exec.LookPath("losetup")
	if err != nil {
		losetup = "/usr/sbin/losetup" // not in everybody's PATH
	}
	out, err := exec.Command(losetup, append(append([]string{"-f", "--show"}, args...), file)...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip(err)
	} else if err != nil {
		t.Fatalf("losetup %q: %v: %s", args, err, out)
	}
	dev := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command(losetup, "-d", dev).CombinedOutput(); err != nil {
			t.Errorf("losetup -d %s: %v: %s", dev, err, out)
		}
	})
	return dev
}

func makeLoop(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	ts.Setenv(args[0], attachLoop(scriptT(ts), ts.MkAbs(args[1]), args[2:]...))
}

const zramSys = "/sys/block/zram0/"

// makeZram sizes zram0 and resets it at the end of the script. Tests of other
// packages use it too, so it is locked.
func makeZram(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	t := scriptT(ts)
	if os.Geteuid() != 0 {
		t.Skip("zram needs root")
	}
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "ringpeak-zram0.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Skip("zram0 cannot be locked: ", err)
	}
	t.Cleanup(func() { lock.Close() })
	ts.Check(unix.Flock(int(lock.Fd()), unix.LOCK_EX))
	now, err := os.ReadFile(zramSys + "disksize")
	if err != nil {
		t.Skip("no zram0: ", err)
	}
	if s := strings.TrimSpace(string(now)); s != "0" {
		t.Skipf("zram0 is in use, its size is %s", s)
	}
	if err := os.WriteFile(zramSys+"disksize", []byte(strconv.FormatInt(sizeOf(ts, args[1]), 10)), 0); err != nil {
		t.Skip("zram0 takes no size: ", err)
	}
	t.Cleanup(func() { resetZram(t) })
	ts.Setenv(args[0], "/dev/zram0")
}

func resetZram(t *testing.T) {
	var err error
	for range 50 { // EBUSY while somebody, such as udev, has it open
		if err = os.WriteFile(zramSys+"reset", []byte("1"), 0); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if size, _ := os.ReadFile(zramSys + "disksize"); err != nil || strings.TrimSpace(string(size)) != "0" {
		t.Errorf("zram0 is left with size %s: %v", size, err)
	}
}

func mark(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	for _, dev := range args {
		ts.Setenv("reads_"+filepath.Base(dev), strconv.FormatInt(reads(ts, dev), 10))
	}
}

func served(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	for _, dev := range args {
		before, err := strconv.ParseInt(ts.Getenv("reads_"+filepath.Base(dev)), 10, 64)
		ts.Check(err)
		if reads(ts, dev) <= before {
			ts.Fatalf("%s served no reads", dev)
		}
	}
}

// reads is how many reads a block device has completed.
func reads(ts *testscript.TestScript, dev string) int64 {
	stat, err := os.ReadFile("/sys/block/" + filepath.Base(dev) + "/stat")
	ts.Check(err)
	n, err := strconv.ParseInt(strings.Fields(string(stat))[0], 10, 64)
	ts.Check(err)
	return n
}

// makeShm makes a file of random bytes on a tmpfs until the script ends.
func makeShm(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	t := scriptT(ts)
	var fs unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &fs); err != nil || fs.Type != unix.TMPFS_MAGIC {
		t.Skip("no tmpfs at /dev/shm")
	}
	f, err := os.CreateTemp("/dev/shm", "ringpeak-test-")
	if err != nil {
		t.Skip(err)
	}
	f.Close()
	t.Cleanup(func() { os.Remove(f.Name()) })
	ts.Check(dataFile(f.Name(), sizeOf(ts, args[1])))
	ts.Setenv(args[0], f.Name())
}

func makeMount(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	t := scriptT(ts)
	dir := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(dir, 0o755))
	if err := unix.Mount(args[0], dir, "ext4", 0, ""); err != nil {
		t.Skipf("mount %s: %v", args[0], err)
	}
	// Detached when a failed script leaves it busy; EINVAL is "not mounted".
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

func endMount(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	if err := unix.Unmount(ts.MkAbs(args[0]), 0); err != nil {
		ts.Fatalf("umount %s: %v", args[0], err)
	}
}
