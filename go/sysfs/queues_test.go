package sysfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/sysfs/sysfstest"
)

func TestPollQueues(t *testing.T) {
	plain, debug := fixture(t, "generic"), fixture(t, "generic", "debugfs")
	for _, c := range []struct {
		tree  Tree
		dev   Dev
		want  string // source, count, and each queue with its CPUs
		owner string
	}{
		{plain, Dev{259, 0}, "interrupts 2: 2 on [0 2], 3 on [1 3]", "nvme0"},
		{plain, Dev{259, 3}, "interrupts 2: 2 on [0 2], 3 on [1 3]", "nvme0"}, // a namespace without a size
		{plain, Dev{259, 4}, "io_poll 0: ", "nvme1"},
		{plain, Dev{254, 0}, "interrupts 1: 1 on [0 1 2 3]", "virtio0"},
		{plain, Dev{259, 5}, " unknown: ", ""}, // a head has no queues of its own
		{debug, Dev{259, 0}, "debugfs 3: 1 on [1 3], 2 on [0 2], 3 on [1 3]", "nvme0"},
		{debug, Dev{259, 2}, "interrupts 2: 2 on [0 2], 3 on [1 3]", "nvme0"}, // not in debugfs
		{debug, Dev{259, 4}, "debugfs 0: ", "nvme1"},
		{debug, Dev{254, 0}, "interrupts 1: 1 on [0 1 2 3]", "virtio0"}, // one of its types cannot be read
	} {
		b := block(t, c.tree, c.dev.Major, c.dev.Minor)
		if got := sayPoll(c.tree.PollQueues(b)); got != c.want {
			t.Errorf("%s: %q, want %q", b.Name, got, c.want)
		}
		if got := b.IRQOwner(); got != c.owner {
			t.Errorf("%s: interrupts of %q, want %q", b.Name, got, c.owner)
		}
	}
	path := block(t, debug, 259, 5).Lowest()
	if len(path) != 1 || path[0].Disk != "nvme2c2n1" || path[0].IRQOwner() != "nvme2" {
		t.Fatalf("below the head: %v", names(path))
	}
	// hctx2 of it serves no CPU, so it is not in mq.
	if got, want := sayPoll(debug.PollQueues(path[0])), "debugfs 1: 1 on [0 1 2 3]"; got != want {
		t.Errorf("path: %q, want %q", got, want)
	}
	if got := names(block(t, plain, 253, 0).Lowest()); got != "nvme0n1 vda" {
		t.Errorf("below dm-0: %s", got)
	}
}

func sayPoll(p PollQueues) string {
	count := "unknown"
	if p.Count.OK() {
		count = fmt.Sprint(p.Count.Value)
	}
	var list []string
	for _, q := range p.Queues {
		list = append(list, fmt.Sprint(q.Index, " on ", q.CPUs.Value))
	}
	return p.Source + " " + count + ": " + strings.Join(list, ", ")
}

// TestPollQueuesThatDoNotAddUp takes the list of interrupts away, or makes it
// contradict io_poll: nothing is guessed then.
func TestPollQueuesThatDoNotAddUp(t *testing.T) {
	const head = "            CPU0\n"
	for what, interrupts := range map[string]string{
		"no list":             "",
		"no such controller":  head + " 24:          0  PCI-MSI 1-edge      nvme7q1\n",
		"all queues do":       head + " 24:          0  PCI-MSI 1-edge      nvme0q1, nvme0q2, nvme0q3, nvme0q4\n",
		"more than there are": head + " 24:          0  PCI-MSI 1-edge      nvme0q1, nvme0q2, nvme0q3, nvme0q4, nvme0q5\n",
		"garbage":             head + " 24:  many  PCI-MSI 1-edge      nvme0q1\n",
	} {
		root := sysfstest.Load(t, "testdata/fixtures/generic.txtar")
		file := filepath.Join(root, "proc/interrupts")
		if err := os.WriteFile(file, []byte(interrupts), 0o644); err != nil {
			t.Fatal(err)
		}
		tree := At(root)
		if p := tree.PollQueues(block(t, tree, 259, 0)); p.Count.OK() {
			t.Errorf("%s: %s", what, sayPoll(p))
		}
		// Polled queues alone: the admin queue shows that the names are known.
		if err := os.WriteFile(file, []byte(head+" 24:          0  PCI-MSI 0-edge      nvme0q0\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := sayPoll(tree.PollQueues(block(t, tree, 259, 0))); !strings.HasPrefix(got, "interrupts 4: ") {
			t.Errorf("no queue interrupts: %s", got)
		}
	}
}

func TestQueuesInNumericOrder(t *testing.T) {
	root := sysfstest.Load(t, "testdata/fixtures/generic.txtar")
	mq := filepath.Join(root, "sys/devices/pci0000:00/0000:00:03.0/nvme/nvme1/nvme1n1/mq")
	for _, n := range []string{"10", "9", "x"} {
		if err := os.MkdirAll(filepath.Join(mq, n), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	tree := At(root)
	qs := tree.HWQueues(block(t, tree, 259, 4))
	if len(qs) != 3 || qs[0].Index != 0 || qs[1].Index != 9 || qs[2].Index != 10 || qs[1].CPUs.State != Absent {
		t.Errorf("%+v", qs)
	}
}
