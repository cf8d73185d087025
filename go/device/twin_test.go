package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs/sysfstest"
)

// Character 1:3 is /dev/null: it opens, and knows no ioctl of NVMe. Block 1:0
// need not exist.
const null = "1:3"

// nvmeNodes makes the nodes of one namespace in a folder, and a tree in which
// the character device is in the place of the one that the fixture has at
// alias. Opening it is harmless: Identify fails, and sysfs has to do.
func nvmeNodes(t *testing.T, alias string, block string) (dir, root string) {
	t.Helper()
	needRoot(t)
	root = sysfstest.Load(t, "../sysfs/testdata/fixtures/generic.txtar")
	link, err := os.Readlink(filepath.Join(root, "sys/dev/char", alias))
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(root, "sys/dev/char", link)
	for _, err := range []error{
		os.Remove(filepath.Join(root, "sys/dev/char", null)),
		os.Symlink(link, filepath.Join(root, "sys/dev/char", null)),
		os.WriteFile(filepath.Join(real, "dev"), []byte(null+"\n"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	dir = t.TempDir()
	var major, minor uint32
	if _, err := fmt.Sscanf(block, "%d:%d", &major, &minor); err != nil {
		t.Fatal(err)
	}
	base := filepath.Base(real)
	for node, dev := range map[string]uint64{
		base: unix.S_IFCHR<<32 | unix.Mkdev(1, 3), "nvme" + strings.TrimPrefix(base, "ng"): unix.S_IFBLK<<32 | unix.Mkdev(major, minor),
	} {
		if err := unix.Mknod(filepath.Join(dir, node), uint32(dev>>32)|0o600, int(dev&0xffffffff)); err != nil {
			t.Skip("mknod: ", err)
		}
	}
	return dir, root
}

func TestTwinsAreNamed(t *testing.T) {
	dir, root := nvmeNodes(t, "245:0", "259:0")
	ng, block := filepath.Join(dir, "ng0n1"), filepath.Join(dir, "nvme0n1")
	other := func(name string, mode uint32, major, minor uint32) string {
		path := filepath.Join(dir, name)
		if err := unix.Mknod(path, mode|0o600, int(unix.Mkdev(major, minor))); err != nil {
			t.Skip("mknod: ", err)
		}
		return path
	}
	part, virtio := other("nvme0n1p1", unix.S_IFBLK, 259, 1), other("vda", unix.S_IFBLK, 254, 0)
	ctrl, head := other("nvme0", unix.S_IFCHR, 246, 0), other("nvme2", unix.S_IFCHR, 246, 2)
	bare, stray := other("nvme9", unix.S_IFCHR, 246, 9), other("ng7n7", unix.S_IFCHR, 99, 99)
	noSize, noBlock := other("ng0n3", unix.S_IFCHR, 245, 2), other("ng0n4", unix.S_IFCHR, 245, 3)
	link := filepath.Join(dir, "by-id")
	if err := os.Symlink("nvme0n1", link); err != nil {
		t.Fatal(err)
	}

	pass := Options{BlockSize: 512, Passthrough: true, Root: root}
	follow := pass
	follow.Follow = true
	plain := Options{BlockSize: 512, Direct: true, Root: root}
	for _, c := range []struct {
		path   string
		o      Options
		status int
		parts  string
	}{
		{block, pass, 2, block + " is the block device; passthrough (-u1) goes through " + ng + ": use that, or --follow"},
		{link, pass, 2, link + " is the block device|" + ng},
		{ng, plain, 2, ng + " is the character device|(-u1)|the block device is " + block + ": use that, or --follow"},
		{part, pass, 2, "is a partition and has no character device of its own|the whole namespace, through " + ng},
		{part, follow, 2, "is a partition"},
		{virtio, pass, 2, "is a block device that is no NVMe namespace|leave -u1 out"},
		{virtio, follow, 2, "no NVMe namespace"},
		{tempFile(t, "data", 4096), pass, 2, "is a regular file|/dev/ngXnY"},
		{"/dev/zero", pass, 4, "is a character device; a target is"},
		{stray, pass, 4, "has the name of an NVMe character device, but sysfs knows no device 99:99"},
		{noSize, plain, 2, "no usable block device|(-u1)"},
		{noBlock, plain, 2, "no usable block device"},
		{ctrl, plain, 4, "is an NVMe controller; name a namespace of it: /dev/nvme0n1, /dev/nvme0n2, /dev/nvme0n3; /dev/ng0n1, /dev/ng0n2, /dev/ng0n3, /dev/ng0n4 for passthrough (-u1)"},
		{ctrl, pass, 4, "is an NVMe controller"},
		{head, pass, 4, "name a namespace of it: /dev/nvme2n1; /dev/ng2n1 for"},
		{bare, pass, 4, "has no namespaces"},
	} {
		refused(t, c.path, c.o, c.status, strings.Split(c.parts, "|")...)
	}

	old := pass // without character devices, as before 5.13
	old.Root = sysfstest.Load(t, "../sysfs/testdata/fixtures/nvme.txtar")
	refused(t, block, old, 4, "has no character device /dev/ngXnY", "kernel 5.13", "5.19")

	if err := os.Remove(ng); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/dev/ng0n1"); err == nil {
		return // this machine has one, of another number
	}
	refused(t, block, pass, 2, "goes through /dev/ng0n1")
	refused(t, block, follow, 4, "leads to /dev/ng0n1, but there is no node of device "+null)
}

// TestOpenGeneric opens a character device whose Identify fails.
func TestOpenGeneric(t *testing.T) {
	dir, root := nvmeNodes(t, "245:0", "259:0")
	ng, block := filepath.Join(dir, "ng0n1"), filepath.Join(dir, "nvme0n1")
	o := Options{BlockSize: 4096, Passthrough: true, Root: root}
	tg := open(t, ng, o)
	if tg.Path != ng || tg.Resolved != "" || tg.Kind != result.KindGeneric || tg.Device != null || tg.Disk != "nvme0n1" || tg.Driver != "nvme" || tg.Direct {
		t.Errorf("%+v", tg)
	}
	if tg.Geometry != result.GeometrySysfs || !strings.Contains(tg.GeometryWhy, "Identify failed") || tg.Metadata != result.MetadataNone {
		t.Errorf("%+v", tg.NVMe)
	}
	wantOpt(t, "nsid", tg.NSID, 2)
	wantOpt(t, "LBAs", tg.LBAs, 131072)
	wantOpt(t, "NUSE", tg.NUSE, 16384)
	wantOpt(t, "LBA", tg.LogicalBlockBytes, 512)
	wantOpt(t, "most", tg.MaxTransferBytes, 512<<10)
	wantOpt(t, "poll queues", tg.PollQueues, 2)
	if tg.SizeBytes != 64<<20 || tg.Blocks != 16384 || tg.CanPoll != result.ChoiceYes {
		t.Errorf("size %d, blocks %d, can poll %q", tg.SizeBytes, tg.Blocks, tg.CanPoll)
	}
	flags, err := unix.FcntlInt(uintptr(tg.FD), unix.F_GETFL, 0)
	if err != nil || flags&(unix.O_ACCMODE|unix.O_NONBLOCK|unix.O_DIRECT|unix.O_NOATIME) != unix.O_RDONLY {
		t.Errorf("flags %#x, %v: want read-only and nothing else", flags, err)
	}
	if got := codes(Notes(tg, 4096)); got != "not-identified" {
		t.Errorf("notes %s", got)
	}

	o.Follow = true
	followed := open(t, block, o)
	if followed.Path != block || followed.Resolved != ng || followed.Kind != result.KindGeneric || followed.Device != null {
		t.Errorf("%+v", followed)
	}
	if got := codes(Notes(followed, 4096)); got != "followed not-identified" {
		t.Errorf("notes %s", got)
	}
	if tg := open(t, ng, o); tg.Resolved != "" {
		t.Errorf("nothing to follow, but resolved %q", tg.Resolved)
	}

	refused(t, ng, Options{BlockSize: 1000, Passthrough: true, Root: root}, 2, "-b1000 is not a multiple of the 512-byte LBAs of "+ng+"; use -b512 or a multiple")
	refused(t, ng, Options{BlockSize: 1 << 20, Passthrough: true, Root: root}, 2, "-b1048576", "above the 524288", "use -b524288 or less")

	dir, root = nvmeNodes(t, "245:2", "259:3")
	refused(t, filepath.Join(dir, "ng0n3"), Options{BlockSize: 4096, Passthrough: true, Root: root}, 4, "geometry", "cannot be found", "run as root")
	dir, root = nvmeNodes(t, "245:3", "259:9")
	refused(t, filepath.Join(dir, "ng0n4"), Options{BlockSize: 4096, Passthrough: true, Root: root}, 4, "geometry", "cannot be found")
}

func codes(notes []result.Note) string {
	var out []string
	for _, n := range notes {
		out = append(out, n.Code)
	}
	return strings.Join(out, " ")
}
