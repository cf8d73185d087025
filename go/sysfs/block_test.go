package sysfs

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/sysfs/sysfstest"
)

func fixture(t *testing.T, names ...string) Tree {
	t.Helper()
	for i, n := range names {
		names[i] = "testdata/fixtures/" + n + ".txtar"
	}
	return At(sysfstest.Load(t, names...))
}

func block(t *testing.T, tree Tree, major, minor uint32) *Block {
	t.Helper()
	b, err := tree.Block(Dev{major, minor})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantInt(t *testing.T, what string, got Int, want int64) {
	t.Helper()
	if !got.OK() || got.Value != want {
		t.Errorf("%s = %d (%v, %v), want %d", what, got.Value, got.State, got.Err, want)
	}
}

func TestNVMeDisk(t *testing.T) {
	b := block(t, fixture(t, "nvme"), 259, 0)
	if b.Name != "nvme0n1" || b.Disk != "nvme0n1" || b.Partition {
		t.Errorf("name %q, disk %q, partition %v", b.Name, b.Disk, b.Partition)
	}
	wantInt(t, "size", b.SizeBytes, 7501476528*512)
	wantInt(t, "ro", b.ReadOnly, 0)
	wantInt(t, "logical_block_size", b.Queue.LogicalBlockSize, 512)
	wantInt(t, "physical_block_size", b.Queue.PhysicalBlockSize, 4096)
	wantInt(t, "max_sectors_kb", b.Queue.MaxSectorsKB, 128)
	wantInt(t, "max_hw_sectors_kb", b.Queue.MaxHWSectorsKB, 512)
	wantInt(t, "nr_requests", b.Queue.NrRequests, 1023)
	wantInt(t, "iostats", b.Queue.IOStats, 1)
	wantInt(t, "rotational", b.Queue.Rotational, 0)
	wantInt(t, "io_poll", b.Queue.IOPoll, 1)
	wantInt(t, "nomerges", b.Queue.NoMerges, 2)
	wantInt(t, "wbt_lat_usec", b.Queue.WBTLatUsec, 2000)
	wantInt(t, "hardware queues", b.Queue.HWQueues, 3)
	wantInt(t, "node", b.Node, 1)
	if b.Queue.Scheduler.Value != "none" || b.Driver.Value != "nvme" || b.Model.Value != "Acme Peak 3.84TB" {
		t.Errorf("scheduler %q, driver %q, model %q", b.Queue.Scheduler.Value, b.Driver.Value, b.Model.Value)
	}
	if len(b.Members)+len(b.Paths)+len(b.Holders) != 0 {
		t.Errorf("members %v, paths %v, holders %v, want none", b.Members, b.Paths, b.Holders)
	}
}

func TestPartitionHasItsOwnSizeAndItsDisksQueue(t *testing.T) {
	tree := fixture(t, "nvme")
	b := block(t, tree, 259, 1)
	if b.Name != "nvme0n1p1" || b.Disk != "nvme0n1" || !b.Partition {
		t.Errorf("name %q, disk %q, partition %v", b.Name, b.Disk, b.Partition)
	}
	wantInt(t, "size", b.SizeBytes, 2048*512)
	wantInt(t, "nr_requests", b.Queue.NrRequests, 1023)
	wantInt(t, "node", b.Node, 1)
	if !slices.Equal(b.Holders, []string{"dm-0"}) {
		t.Errorf("holders %v, want dm-0", b.Holders)
	}
	wantInt(t, "ro of the read-only one", block(t, tree, 259, 2).ReadOnly, 1)

	named, err := tree.BlockNamed("nvme0n1p1")
	if err != nil || named.Dev.Value != "259:1" {
		t.Errorf("by name: %+v, %v", named, err)
	}
	for _, bad := range []string{"", ".", "..", "a/b", "absent"} {
		if b, err := tree.BlockNamed(bad); err == nil {
			t.Errorf("BlockNamed(%q) = %+v, want an error", bad, b)
		}
	}
}

func names(bs []*Block) string {
	var out []string
	for _, b := range bs {
		out = append(out, b.Name)
	}
	return strings.Join(out, " ")
}

func TestStackedDevices(t *testing.T) {
	tree := fixture(t, "nvme", "stacked")

	linear := block(t, tree, 252, 0)
	if got := names(linear.Members); got != "nvme0n1p1 nvme1n1p1" {
		t.Errorf("members of dm-0: %s", got)
	}
	if linear.Driver.Value != "device-mapper" || linear.Model.State != Absent {
		t.Errorf("driver %q, model %v", linear.Driver.Value, linear.Model.State)
	}
	wantInt(t, "node of dm-0, whose members agree", linear.Node, 1)

	upper := block(t, tree, 252, 1)
	if got := names(upper.Members); got != "nvme0n1p1 nvme1n1p1 nvme2n1" {
		t.Errorf("members of dm-1, recursively: %s", got)
	}
	if upper.Node.OK() || !strings.Contains(upper.NodeWhy, "different nodes: nvme0n1p1 on 1, nvme1n1p1 on 1, nvme2n1 on 0") {
		t.Errorf("node of dm-1: %+v, because %q", upper.Node, upper.NodeWhy)
	}

	md := block(t, tree, 9, 0)
	if md.Driver.Value != "md" || names(md.Members) != "nvme0n1 nvme1n1" {
		t.Errorf("md0: driver %q, members %s", md.Driver.Value, names(md.Members))
	}
}

func TestLoopInTheMembersEnds(t *testing.T) {
	root := sysfstest.Load(t, "testdata/fixtures/nvme.txtar", "testdata/fixtures/stacked.txtar")
	if err := os.Symlink("../../dm-1", root+"/sys/devices/virtual/block/dm-0/slaves/dm-1"); err != nil {
		t.Fatal(err)
	}
	b := block(t, At(root), 252, 0)
	if len(b.Members) == 0 {
		t.Error("no members at all")
	}
}

func TestMultipathHead(t *testing.T) {
	b := block(t, fixture(t, "multipath"), 259, 0)
	if names(b.Paths) != "nvme0c0n1" {
		t.Fatalf("paths %q, want nvme0c0n1", names(b.Paths))
	}
	if b.Driver.Value != "nvme" || b.Model.Value != "Acme Dual 7.68TB" {
		t.Errorf("driver %q, model %q", b.Driver.Value, b.Model.Value)
	}
	wantInt(t, "node", b.Node, 1)
	if b.Queue.HWQueues.State != Absent {
		t.Errorf("hardware queues of the head: %+v, want absent", b.Queue.HWQueues)
	}
	wantInt(t, "hardware queues of the path", b.Paths[0].Queue.HWQueues, 2)
}

func TestVirtualDevices(t *testing.T) {
	tree := fixture(t, "virtual")
	for _, c := range []struct {
		major, minor   uint32
		driver, nowhy  string
		scheduler      string
		schedulerState State
	}{
		{7, 0, "loop", "loop0 is a virtual device", "none", Present},
		{253, 0, "zram", "zram0 is a virtual device", "none", Present},
		{252, 5, "null_blk", "nullb0 is a virtual device", "", Absent},
		{1, 0, "brd", "ram0 is a virtual device", "", Absent},
		{254, 0, "virtio_blk", "the firmware names no node for 0000:00:02.0 (its numa_node is -1)", "mq-deadline", Present},
		{8, 0, "", "no device above sda has a numa_node", "", Absent},
	} {
		b := block(t, tree, c.major, c.minor)
		if b.Driver.Value != c.driver || b.NodeWhy != c.nowhy || b.Node.OK() {
			t.Errorf("%s: driver %q, node %+v because %q", b.Name, b.Driver.Value, b.Node, b.NodeWhy)
		}
		if s := b.Queue.Scheduler; s.Value != c.scheduler || s.State != c.schedulerState {
			t.Errorf("%s: scheduler %+v", b.Name, s)
		}
	}
}

func TestAbsentUnreadableAndMalformedDiffer(t *testing.T) {
	tree := fixture(t, "virtual")
	half := block(t, tree, 8, 0)
	if half.Queue.NrRequests.State != Absent || half.Queue.NrRequests.Err != nil || half.SizeBytes.Ptr() != nil {
		t.Errorf("missing attributes: %+v, %+v", half.Queue.NrRequests, half.SizeBytes)
	}
	wantInt(t, "the one that is there", half.Queue.LogicalBlockSize, 512)

	odd := block(t, tree, 8, 16)
	for what, a := range map[string]Int{
		"size": odd.SizeBytes, "logical_block_size": odd.Queue.LogicalBlockSize, "io_poll": odd.Queue.IOPoll,
	} {
		if a.State != Malformed || a.Err == nil || a.Ptr() != nil {
			t.Errorf("%s: %+v, want malformed with an error", what, a)
		}
	}
	if odd.Queue.Scheduler.State != Malformed {
		t.Errorf("scheduler without brackets: %+v", odd.Queue.Scheduler)
	}
	if w := odd.Queue.WBTLatUsec; w.State != Unreadable || w.Err == nil {
		t.Errorf("wbt_lat_usec: %+v, want unreadable with an error", w)
	}
}

func TestNoSuchDevice(t *testing.T) {
	if b, err := fixture(t, "nvme").Block(Dev{99, 99}); err == nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %+v, %v, want not-exist", b, err)
	}
}

// TestThisMachine reads whatever is in the real /sys/block.
func TestThisMachine(t *testing.T) {
	tree := At("/")
	found := readNames("/sys/block")
	if len(found) == 0 {
		t.Skip("no block devices in /sys/block")
	}
	for _, name := range found {
		b, err := tree.BlockNamed(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if b.Disk != name || !b.SizeBytes.OK() || !b.Queue.LogicalBlockSize.OK() {
			t.Errorf("%s: %+v", name, b)
		}
		if b.Node.OK() == (b.NodeWhy != "") {
			t.Errorf("%s: node %+v, but because %q", name, b.Node, b.NodeWhy)
		}
	}
}
