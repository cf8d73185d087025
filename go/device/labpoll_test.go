package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/sysfs"
)

// TestLabPollQueues counts in two ways, with debugfs and without, and holds
// both against io_poll.
func TestLabPollQueues(t *testing.T) {
	lab(t)
	root := t.TempDir() // all but /sys/kernel/debug
	for link, to := range map[string]string{
		"sys/dev": "/sys/dev", "sys/class": "/sys/class", "proc": "/proc",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	whole, blind := sysfs.At(""), sysfs.At(root)
	found, _ := filepath.Glob("/sys/class/block/*")
	counted := 0
	for _, dir := range found {
		name := filepath.Base(dir)
		b, err := whole.BlockNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		with := whole.PollQueues(b)
		if b.Queue.HWQueues.OK() && with.Source != "debugfs" {
			t.Errorf("%s: counted by %q", name, with.Source)
		}
		if with.Count.OK() && b.Queue.IOPoll.OK() && (with.Count.Value > 0) != (b.Queue.IOPoll.Value == 1) {
			t.Errorf("%s: %d poll queues, io_poll %d", name, with.Count.Value, b.Queue.IOPoll.Value)
		}
		without := blind.PollQueues(b)
		if without.Source == "debugfs" || without.Count.OK() && without.Count.Value != with.Count.Value {
			t.Errorf("%s: %d poll queues by debugfs, %d by %s", name, with.Count.Value, without.Count.Value, without.Source)
		}
		if b.IRQOwner() != "" {
			if !without.Count.OK() {
				t.Errorf("%s: nothing known without debugfs", name)
			}
			if fmt.Sprint(cpusOf(with)) != fmt.Sprint(cpusOf(without)) {
				t.Errorf("%s: queues %v by debugfs, %v by %s", name, cpusOf(with), cpusOf(without), without.Source)
			}
			counted++
		}
		t.Logf("%s: %s poll queues %v, without debugfs %s by %q", name, opt(with.Count.Ptr()), cpusOf(with), opt(without.Count.Ptr()), without.Source)
	}
	if counted < 2 {
		t.Errorf("only %d disks have interrupts by name", counted)
	}
}

func cpusOf(p sysfs.PollQueues) map[int][]int {
	out := map[int][]int{}
	for _, q := range p.Queues {
		out[q.Index] = q.CPUs.Value
	}
	return out
}

// TestLabInterrupts reads through interrupts and sees them counted, on the
// device's lines alone.
func TestLabInterrupts(t *testing.T) {
	labGenerics(t)
	const reads = 100
	tg, other := open(t, "/dev/lab/nvme-irq-char", through), open(t, "/dev/lab/nvme-mdts-char", through)
	before, err := ReadInterrupts("")
	if err != nil {
		t.Fatal(err)
	}
	for range reads {
		if s, err := labRead(t, tg, 0, 1); s != 0 || err != nil {
			t.Fatal(s, err)
		}
	}
	after, err := ReadInterrupts("")
	if err != nil {
		t.Fatal(err)
	}
	n, quiet := after.Since(before, tg), after.Since(before, other)
	t.Logf("%d reads: %s interrupts, %s on the other controller", reads, opt(n), opt(quiet))
	if n == nil || *n < reads/2 || quiet == nil || *quiet > 5 {
		t.Errorf("%s interrupts, %s on the other controller", opt(n), opt(quiet))
	}
}

// TestLabAsAnotherUser: reads as nobody need the node's mode from 6.2 on, and
// CAP_SYS_ADMIN before, for Identify as well.
func TestLabAsAnotherUser(t *testing.T) {
	path, err := filepath.EvalSymlinks("/dev/lab/nvme-poll-char")
	labGenerics(t)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RINGPEAK_TEST_PASSTHROUGH", "1")
	if got := openElsewhere(t, path, nobody(), nil); !strings.Contains(got, "may not be read by this user") || !strings.Contains(got, "6.2") {
		t.Errorf("without the mode: %s", got)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(path, 0o600)
	want := "opened: identify"
	if os.Getenv("RINGPEAK_LAB_KERNEL") == "6.1" {
		want = "opened: sysfs Identify is refused to this user"
	}
	if got := openElsewhere(t, path, nobody(), nil); strings.TrimSpace(got) != want {
		t.Errorf("with the mode: %q, want %q", got, want)
	}
}
