package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// queueOf is the folder of a lab device's settings in sysfs.
func queueOf(t *testing.T, name string) string {
	t.Helper()
	node, err := filepath.EvalSymlinks("/dev/lab/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return "/sys/block/" + filepath.Base(node) + "/queue"
}

// writes tells which files of watched folders were written to since it was
// asked last, whatever was written.
type writes int

func watch(t *testing.T, dirs ...string) writes {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for _, d := range dirs {
		if _, err := unix.InotifyAddWatch(fd, d, unix.IN_MODIFY|unix.IN_CLOSE_WRITE); err != nil {
			t.Fatal(d, err)
		}
	}
	return writes(fd)
}

func (w writes) names(t *testing.T) (list []string) {
	t.Helper()
	buf := make([]byte, 65536)
	n, err := unix.Read(int(w), buf)
	if errors.Is(err, unix.EAGAIN) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for buf = buf[:n]; len(buf) >= unix.SizeofInotifyEvent; {
		e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[0]))
		end := unix.SizeofInotifyEvent + int(e.Len)
		list = append(list, strings.TrimRight(string(buf[unix.SizeofInotifyEvent:end]), "\x00"))
		buf = buf[end:]
	}
	return list
}

// TestLabKnobs: nothing is ever written to a device's settings. Polling that
// cannot be had is refused with the parameter that gives it, and not with
// queue/io_poll, to which a write does nothing since 5.16.
func TestLabKnobs(t *testing.T) {
	kernel := lab(t)
	names := []string{"null-irq", "nvme-irq", "virtio", "nvme-poll"}
	var dirs []string
	before := map[string]string{}
	for _, n := range names {
		dirs = append(dirs, queueOf(t, n))
		before[n] = readLine(t, queueOf(t, n)+"/io_poll")
	}
	w := watch(t, dirs...)

	refused := [][2]string{{"-p1 null-irq", "load null_blk with poll_queues=N"}, {"-p1 nvme-irq", "boot with nvme.poll_queues=N"}}
	if kernel >= 601 {
		refused = append(refused, [2]string{"-u1 -p1 --strict nvme-irq-char", "boot with nvme.poll_queues=N"})
	}
	for _, c := range refused {
		said := labRefused(t, result.StatusSetup, c[0]+" -r0.1", c[1])
		for _, no := range []string{"echo", "/sys/", "write"} {
			if strings.Contains(said, no) {
				t.Errorf("%s: %q is said: %s", c[0], no, said)
			}
		}
	}
	labGood(t, "null-irq nvme-irq -r0.1") // asks whether they can be polled
	labGood(t, "-p0 nvme-poll virtio -r0.1")
	for _, n := range names {
		if now := readLine(t, queueOf(t, n)+"/io_poll"); now != before[n] {
			t.Errorf("io_poll of %s is %s and was %s", n, now, before[n])
		}
	}
	if list := w.names(t); len(list) > 0 {
		t.Errorf("written to: %q", list)
	}
	// That this would have been noticed, even where it has no effect.
	_ = os.WriteFile(queueOf(t, "null-irq")+"/io_poll", []byte("1"), 0)
	if list := w.names(t); len(list) == 0 || list[0] != "io_poll" {
		t.Errorf("a write to io_poll is seen as %q", list)
	}
	_ = os.WriteFile(queueOf(t, "null-irq")+"/io_poll", []byte("0"), 0)
}
