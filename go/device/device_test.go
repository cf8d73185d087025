package device

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

func TestLoopDevices(t *testing.T) {
	for _, sector := range []int64{512, 4096} {
		t.Run(strconv.FormatInt(sector, 10), func(t *testing.T) {
			dev := loopDevice(t, tempFile(t, "disk", 1<<20), "--sector-size", strconv.FormatInt(sector, 10))
			tg := open(t, dev, Options{BlockSize: 2 * sector, Direct: true})
			if tg.Kind != result.KindBlock || tg.SizeBytes != 1<<20 || tg.Blocks != 1<<20/(2*sector) || tg.Driver != "loop" {
				t.Errorf("%+v", tg)
			}
			if tg.Disk != filepath.Base(dev) || tg.Partition != "" || !strings.HasPrefix(tg.Device, "7:") {
				t.Errorf("disk %q, partition %q, device %q", tg.Disk, tg.Partition, tg.Device)
			}
			wantOpt(t, "logical block", tg.LogicalBlockBytes, sector)
			wantOpt(t, "io_poll", tg.IOPoll, 0)
			if tg.PhysicalBlockBytes == nil || tg.HWQueues == nil || tg.Scheduler == "" || !tg.Direct {
				t.Errorf("%+v", tg)
			}
			if tg.CanPoll != result.ChoiceNo || !strings.Contains(tg.WhyNotPoll, "loop driver of "+tg.Disk) {
				t.Errorf("can poll %q: %s", tg.CanPoll, tg.WhyNotPoll)
			}
			if tg.NUMANode != nil || tg.NUMAWhy == "" || tg.HoleBytes != nil {
				t.Errorf("node %v because %q, holes %v", tg.NUMANode, tg.NUMAWhy, tg.HoleBytes)
			}
			for _, bs := range []int64{sector / 2, sector + 256} {
				num := strconv.FormatInt(sector, 10)
				refused(t, dev, Options{BlockSize: bs, Direct: true}, 2,
					"-b"+strconv.FormatInt(bs, 10)+" is not a multiple of the "+num+"-byte sectors of "+dev+"; use -b"+num+" or a multiple")
				open(t, dev, Options{BlockSize: bs}) // buffered reads are free to
			}
			refused(t, dev, Options{BlockSize: 1 << 21, Direct: true}, 2, "holds 1048576 bytes")
			open(t, dev, Options{BlockSize: 1 << 20, Direct: true})
		})
	}
}

// TestSymlinkToDevice goes through a link as /dev/disk/by-path makes them.
func TestSymlinkToDevice(t *testing.T) {
	dev := loopDevice(t, tempFile(t, "disk", 1<<20))
	link := filepath.Join(t.TempDir(), "pci-0000:81:00.0-nvme-1")
	if err := os.Symlink(dev, link); err != nil {
		t.Fatal(err)
	}
	tg := open(t, link, direct)
	if tg.Path != link || tg.Resolved != dev || tg.Disk != filepath.Base(dev) {
		t.Errorf("%+v", tg)
	}
}

func TestUnboundLoopDevice(t *testing.T) {
	needRoot(t)
	for n := 255; n >= 0; n-- { // from the top: who binds one takes the lowest
		name := "loop" + strconv.Itoa(n)
		if b, err := os.ReadFile("/sys/block/" + name + "/size"); err == nil && strings.TrimSpace(string(b)) == "0" {
			refused(t, "/dev/"+name, direct, 4, "/dev/"+name)
			return
		}
	}
	t.Skip("there is no unbound loop device")
}

// partition makes partition 1 of a disk by BLKPG, which needs no kernel that
// can read a partition table, and returns its node.
func partition(t *testing.T, disk string, start, length int64) string {
	t.Helper()
	f, err := os.Open(disk)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	blkpg := func(op int32) error {
		p := unix.BlkpgPartition{Start: start, Length: length, Pno: 1}
		arg := unix.BlkpgIoctlArg{Op: op, Datalen: int32(unsafe.Sizeof(p)), Data: (*byte)(unsafe.Pointer(&p))}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), unix.BLKPG, uintptr(unsafe.Pointer(&arg)))
		if errno != 0 {
			return errno
		}
		return nil
	}
	if err := blkpg(unix.BLKPG_ADD_PARTITION); err != nil {
		t.Skip("no partition can be made: ", err)
	}
	t.Cleanup(func() {
		if err := blkpg(unix.BLKPG_DEL_PARTITION); err != nil {
			t.Errorf("delete the partition of %s: %v", disk, err)
		}
	})
	node := disk + "p1"
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(node); err == nil {
			return node
		} else if time.Now().After(end) {
			t.Skip("no node for the partition, nobody makes them here: ", err)
		}
	}
}

func TestPartition(t *testing.T) {
	disk := loopDevice(t, tempFile(t, "disk", 1<<20), "-P")
	part := partition(t, disk, 64*512, 1000*512)
	tg, err := Open(part, direct)
	if err != nil {
		t.Fatal(err)
	}
	defer Close(tg) // before the partition is deleted
	if tg.SizeBytes != 1000*512 || tg.Blocks != 1000*512/4096 {
		t.Errorf("size %d, blocks %d", tg.SizeBytes, tg.Blocks)
	}
	if tg.Partition != filepath.Base(part) || tg.Disk != filepath.Base(disk) || tg.Driver != "loop" {
		t.Errorf("partition %q, disk %q, driver %q", tg.Partition, tg.Disk, tg.Driver)
	}
	wantOpt(t, "io_poll of its disk", tg.IOPoll, 0)
}

// TestFileOnDevice mounts a file system on 4096-byte sectors: its files take
// direct I/O in that unit only, and lie on that disk.
func TestFileOnDevice(t *testing.T) {
	dev := loopDevice(t, tempFile(t, "disk", 16<<20), "--sector-size", "4096")
	if out, err := exec.Command("mkfs.ext4", "-q", dev).CombinedOutput(); err != nil {
		t.Skipf("mkfs.ext4: %v: %s", err, out)
	}
	dir := filepath.Join(t.TempDir(), "mount point")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(dev, dir, "ext4", 0, ""); err != nil {
		t.Skip("mount: ", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	}()
	file := filepath.Join(dir, "data")
	writeFile(t, file, make([]byte, 64<<10))

	refused(t, file, Options{BlockSize: 512, Direct: true}, 2, "-b512 is not a multiple of the 4096 bytes", "-O0")
	tg, err := Open(file, direct)
	if err != nil {
		t.Fatal(err)
	}
	defer Close(tg)
	if tg.Disk != filepath.Base(dev) || tg.FileSystem != "ext4" || tg.Driver != "loop" || tg.Kind != result.KindFile {
		t.Errorf("%+v", tg)
	}
	if tg.CanPoll != result.ChoiceNo || !strings.Contains(tg.WhyNotPoll, "loop driver of "+tg.Disk) {
		t.Errorf("can poll %q: %s", tg.CanPoll, tg.WhyNotPoll)
	}
	wantOpt(t, "logical block of the disk below", tg.LogicalBlockBytes, 4096)
	wantOpt(t, "alignment of direct I/O", tg.DIOOffsetAlignBytes, 4096)
}

func TestZram(t *testing.T) {
	dev := zram(t, 16<<20)
	tg := open(t, dev, direct)
	if tg.SizeBytes != 16<<20 || tg.Driver != "zram" || tg.Disk != "zram0" {
		t.Errorf("%+v", tg)
	}
	if tg.CanPoll != result.ChoiceNo || tg.WhyNotPoll != "the zram driver of zram0 has no poll queues (queue/io_poll is 0)" {
		t.Errorf("can poll %q: %s", tg.CanPoll, tg.WhyNotPoll)
	}
	refused(t, dev, Options{BlockSize: 512, Direct: true}, 2, "-b512", "4096-byte sectors of /dev/zram0")
	Close(tg)
}

func TestMemoryFileSystemHasNothingToPoll(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "ringpeak-test-*")
	if err != nil {
		t.Skip("no /dev/shm: ", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.Write(make([]byte, 8192)); err != nil {
		t.Fatal(err)
	}
	tg, err := Open(f.Name(), direct) // tmpfs takes O_DIRECT since 6.6
	if err != nil {
		refused(t, f.Name(), direct, 4, "does not support O_DIRECT", "-O0")
		return
	}
	defer Close(tg)
	if tg.FileSystem != "tmpfs" {
		t.Skipf("/dev/shm is %s", tg.FileSystem)
	}
	if tg.CanPoll != result.ChoiceNo || !strings.HasPrefix(tg.WhyNotPoll, "tmpfs has no device") || tg.NUMAWhy == "" {
		t.Errorf("can poll %q: %s; node: %s", tg.CanPoll, tg.WhyNotPoll, tg.NUMAWhy)
	}
}

// TestDeviceCgroup forbids block devices to a child of root, as containers do.
func TestDeviceCgroup(t *testing.T) {
	dev := loopDevice(t, tempFile(t, "disk", 1<<20))
	const top = "/sys/fs/cgroup/devices"
	if _, err := os.Stat(top + "/devices.deny"); err != nil {
		t.Skip("no device cgroup of version 1: ", err)
	}
	group, err := os.MkdirTemp(top, "ringpeak-test-*")
	if err != nil {
		t.Skip("no cgroup can be made: ", err)
	}
	t.Cleanup(func() {
		var err error
		for range 50 { // EBUSY until the child is gone altogether
			if err = os.Remove(group); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("remove cgroup: %v", err)
	})
	if err := os.WriteFile(group+"/devices.deny", []byte("b *:* rwm"), 0); err != nil {
		t.Skip("cgroup: ", err)
	}
	got := openElsewhere(t, dev, nil, func(pid int) {
		if err := os.WriteFile(group+"/cgroup.procs", []byte(strconv.Itoa(pid)), 0); err != nil {
			t.Errorf("cgroup: %v", err)
		}
	})
	if !strings.Contains(got, dev+" is forbidden by a device cgroup") {
		t.Errorf("child said: %s", got)
	}
}
