package device

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// TestMain opens one path for a parent test when it is told to, as another
// user or in a cgroup, and fails the run when descriptors leak.
func TestMain(m *testing.M) {
	if path := os.Getenv("RINGPEAK_TEST_OPEN"); path != "" {
		os.Stdin.Read(make([]byte, 1)) // until the parent is done with this process
		pass := os.Getenv("RINGPEAK_TEST_PASSTHROUGH") != ""
		t, err := Open(path, Options{BlockSize: 4096, Direct: !pass, Passthrough: pass})
		switch {
		case err != nil:
			fmt.Println("error:", err)
		case pass:
			fmt.Println("opened:", t.Geometry, t.GeometryWhy)
		default:
			fmt.Println("opened: noatime", t.NoAtime)
		}
		os.Exit(0)
	}
	before := openFDs()
	status := m.Run()
	if after := openFDs(); status == 0 && after > before {
		fmt.Fprintf(os.Stderr, "descriptors leaked: %d before, %d after\n", before, after)
		status = 1
	}
	os.Exit(status)
}

// openFDs counts descriptors, other than those of Go's poller, which stay.
func openFDs() int {
	n := 0
	fds, _ := os.ReadDir("/proc/self/fd")
	for _, fd := range fds {
		to, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:") {
			n++
		}
	}
	return n
}

// openElsewhere runs Open in a child process and returns what it said.
func openElsewhere(t *testing.T, path string, attr *syscall.SysProcAttr, started func(pid int)) string {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "RINGPEAK_TEST_OPEN="+path)
	cmd.SysProcAttr = attr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if started != nil {
		started(cmd.Process.Pid)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("child: %v\n%s", err, out.String())
	}
	return out.String()
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// tempFile makes a file of that size that holds data, not a hole. Its folders
// can be searched by everybody.
func tempFile(t *testing.T, name string, size int) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, name)
	writeFile(t, path, bytes.Repeat([]byte{0xa5}, size))
	return path
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
}

// loopDevice binds a loop device to the file and detaches it afterwards.
func loopDevice(t *testing.T, file string, args ...string) string {
	t.Helper()
	needRoot(t)
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skip("no loop devices: ", err)
	}
	out, err := exec.Command("losetup", append(append([]string{"-f", "--show"}, args...), file)...).CombinedOutput()
	if err != nil {
		t.Skipf("losetup: %v: %s", err, out)
	}
	dev := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "-d", dev).CombinedOutput(); err != nil {
			t.Errorf("losetup -d %s: %v: %s", dev, err, out)
		}
	})
	return dev
}

// zram gives zram0 a size and takes it away again. Other packages' tests use
// the device too, so it is locked.
func zram(t *testing.T, size int) string {
	t.Helper()
	needRoot(t)
	lock, err := os.OpenFile(filepath.Join(os.TempDir(), "ringpeak-zram0.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Skip("zram0 cannot be locked: ", err)
	}
	t.Cleanup(func() { lock.Close() })
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	const sys = "/sys/block/zram0/"
	now, err := os.ReadFile(sys + "disksize")
	if err != nil {
		t.Skip("no zram0: ", err)
	}
	if s := strings.TrimSpace(string(now)); s != "0" {
		t.Skipf("zram0 is in use, its size is %s", s)
	}
	if err := os.WriteFile(sys+"disksize", []byte(strconv.Itoa(size)), 0); err != nil {
		t.Skip("zram0 takes no size: ", err)
	}
	t.Cleanup(func() {
		var err error
		for range 50 { // EBUSY while somebody, such as udev, has it open
			if err = os.WriteFile(sys+"reset", []byte("1"), 0); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("reset zram0: %v", err)
	})
	return "/dev/zram0"
}

// open opens and closes it with the test.
func open(t *testing.T, path string, o Options) *result.Target {
	t.Helper()
	tg, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Close(tg) })
	return tg
}

// refused expects an error of that status whose sentence holds every part.
func refused(t *testing.T, path string, o Options, status int, parts ...string) {
	t.Helper()
	tg, err := Open(path, o)
	if err == nil {
		Close(tg)
		t.Fatalf("Open(%q, %+v) succeeded, want a refusal with %q", path, o, parts)
	}
	var e *result.Error
	if !errors.As(err, &e) || e.Status != status {
		t.Errorf("Open(%q): %#v, want a result.Error with status %d", path, err, status)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("Open(%q): %q lacks %q", path, err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("Open(%q): %q is more than a line", path, err)
	}
}

func wantOpt(t *testing.T, what string, got result.OptInt, want int64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is unknown, want %d", what, want)
	} else if *got != want {
		t.Errorf("%s = %d, want %d", what, *got, want)
	}
}
