package device

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
	"ringpeak/go/sysfs/sysfstest"
)

func tree(t *testing.T, names ...string) sysfs.Tree {
	t.Helper()
	for i, n := range names {
		names[i] = "../sysfs/testdata/fixtures/" + n + ".txtar"
	}
	return sysfs.At(sysfstest.Load(t, names...))
}

func described(t *testing.T, tr sysfs.Tree, dev sysfs.Dev) (*result.Target, *sysfs.Block) {
	t.Helper()
	b, err := tr.Block(dev)
	if err != nil {
		t.Fatal(err)
	}
	tg := &result.Target{Kind: result.KindBlock, Direct: true}
	describe(tg, b)
	return tg, b
}

func TestPolling(t *testing.T) {
	hw, virtual, multi := tree(t, "nvme", "stacked"), tree(t, "virtual"), tree(t, "multipath")
	for _, c := range []struct {
		tree   sysfs.Tree
		dev    sysfs.Dev
		choice result.Choice
		why    string
	}{
		{hw, sysfs.Dev{Major: 259, Minor: 0}, result.ChoiceYes, ""},
		{hw, sysfs.Dev{Major: 259, Minor: 1}, result.ChoiceYes, ""}, // a partition of it
		{multi, sysfs.Dev{Major: 259, Minor: 0}, result.ChoiceYes, ""},
		{
			hw,
			sysfs.Dev{Major: 259, Minor: 5},
			result.ChoiceNo,
			"nvme2n1 has no poll queues (queue/io_poll is 0); boot with nvme.poll_queues=N, or reload or rebind the nvme driver with that parameter",
		},
		{hw, sysfs.Dev{Major: 252, Minor: 0}, result.ChoiceYes, ""},
		{
			hw,
			sysfs.Dev{Major: 252, Minor: 1},
			result.ChoiceNo,
			"dm-1 is polled only if each of its members is, and nvme2n1 has no poll queues (queue/io_poll is 0); boot with nvme.poll_queues=N, or reload or rebind the nvme driver with that parameter",
		},
		{hw, sysfs.Dev{Major: 9, Minor: 0}, result.ChoiceNo, "md does not pass polling on (queue/io_poll is 0)"},
		{virtual, sysfs.Dev{Major: 7, Minor: 0}, result.ChoiceNo, "the loop driver of loop0 has no poll queues (queue/io_poll is 0)"},
		{virtual, sysfs.Dev{Major: 253, Minor: 0}, result.ChoiceNo, "the zram driver of zram0 has no poll queues (queue/io_poll is 0)"},
		{virtual, sysfs.Dev{Major: 1, Minor: 0}, result.ChoiceNo, "the brd driver of ram0 has no poll queues (queue/io_poll is 0)"},
		{virtual, sysfs.Dev{Major: 252, Minor: 5}, result.ChoiceNo, "nullb0 has no poll queues (queue/io_poll is 0); load null_blk with poll_queues=N"},
		{
			virtual,
			sysfs.Dev{Major: 254, Minor: 0},
			result.ChoiceNo,
			"vda has no poll queues (queue/io_poll is 0); boot with virtio_blk.poll_queues=N (kernel 5.19 or later, and a host that offers several queues)",
		},
		{virtual, sysfs.Dev{Major: 8, Minor: 0}, result.ChoiceAuto, ""},  // no such attribute
		{virtual, sysfs.Dev{Major: 8, Minor: 16}, result.ChoiceAuto, ""}, // nonsense in it
	} {
		tg, b := described(t, c.tree, c.dev)
		choice, why := polling(tg, b)
		if choice != c.choice || why != c.why {
			t.Errorf("%s: %q because %q\nwant %q because %q", b.Name, choice, why, c.choice, c.why)
		}
		tg.Direct = false
		if choice, why := polling(tg, b); choice != result.ChoiceNo || !strings.Contains(why, "buffered") {
			t.Errorf("%s buffered: %q because %q", b.Name, choice, why)
		}
	}
}

func TestDescribe(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	tg, _ := described(t, tree(t, "nvme"), sysfs.Dev{Major: 259, Minor: 1})
	want := &result.Target{
		Kind: result.KindBlock, Direct: true,
		Disk: "nvme0n1", Partition: "nvme0n1p1", Driver: "nvme", Model: "Acme Peak 3.84TB",
		LogicalBlockBytes: n(512), PhysicalBlockBytes: n(4096),
		MaxSectorsKB: n(128), MaxHWSectorsKB: n(512), NrRequests: n(1023), HWQueues: n(3),
		Scheduler: "none", IOStats: n(1), Rotational: n(0), NoMerges: n(2), WBTLatUsec: n(2000),
		NUMANode: n(1), IOPoll: n(1),
	}
	if d := cmp.Diff(want, tg); d != "" {
		t.Errorf("partition (-want +got):\n%s", d)
	}

	dm, _ := described(t, tree(t, "nvme", "stacked"), sysfs.Dev{Major: 252, Minor: 1})
	if got := strings.Join(dm.Members, " "); got != "nvme0n1 nvme1n1 nvme2n1" || dm.Driver != "device-mapper" || dm.NUMAWhy == "" {
		t.Errorf("dm-1: members %q, driver %q, node because %q", got, dm.Driver, dm.NUMAWhy)
	}

	head, _ := described(t, tree(t, "multipath"), sysfs.Dev{Major: 259, Minor: 0})
	wantOpt(t, "hardware queues of the one path", head.HWQueues, 2)
	wantOpt(t, "nr_requests of the one path", head.NrRequests, 1023)
	wantOpt(t, "node", head.NUMANode, 1)

	half, _ := described(t, tree(t, "virtual"), sysfs.Dev{Major: 8, Minor: 16})
	if half.IOPoll != nil || half.WBTLatUsec != nil || half.Scheduler != "" || half.Driver != "" {
		t.Errorf("nonsense was believed: %+v", half)
	}
}

// TestOpenWithoutSysfs opens a file where /sys and /proc tell nothing.
func TestOpenWithoutSysfs(t *testing.T) {
	tg := open(t, tempFile(t, "data", 8192), Options{BlockSize: 4096, Direct: true, Root: t.TempDir()})
	if tg.Blocks != 2 || tg.Disk != "" || tg.NUMAWhy == "" || tg.CanPoll != result.ChoiceAuto || tg.FileSystem != "" {
		t.Errorf("%+v", tg)
	}
}

func TestNoteOnSplitReads(t *testing.T) {
	kib := int64(128)
	tg := &result.Target{Path: "/dev/x", Kind: result.KindBlock, Disk: "x", MaxSectorsKB: &kib, SizeBytes: 1 << 20}
	if n := Notes(tg, 128<<10); len(n) != 0 {
		t.Errorf("at the limit: %v", n)
	}
	if n := Notes(tg, 256<<10); len(n) != 1 || n[0].Code != "split-io" || !strings.Contains(n[0].Text, "128 KiB") {
		t.Errorf("above it: %v", n)
	}
}
