package device

import (
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// fill completes a target whose Path, Resolved, Kind and FD are set. st is what
// the path was before it was opened.
func fill(t *result.Target, st *unix.Stat_t, o Options, tree sysfs.Tree) error {
	flags, err := settle(t, st)
	if err != nil {
		return err
	}
	t.Direct = flags&unix.O_DIRECT != 0
	t.NoAtime = flags&unix.O_NOATIME != 0

	if t.SizeBytes, err = size(t, st); err != nil {
		return err
	}
	x := statxFD(t.FD)
	t.DIOMemAlignBytes, t.DIOOffsetAlignBytes = x.memAlign, x.offsetAlign

	dev := sysfs.MakeDev(uint64(st.Dev))
	if t.Kind == result.KindBlock {
		dev = sysfs.MakeDev(uint64(st.Rdev))
		t.LogicalBlockBytes = ioctlInt(t.FD, unix.BLKSSZGET)
		t.PhysicalBlockBytes = ioctlInt(t.FD, unix.BLKPBSZGET)
	} else {
		t.FileSystem = fileSystem(x, dev, tree)
	}
	t.Device = dev.String()
	b, err := tree.Block(dev)
	switch {
	case err == nil:
		describe(t, b)
	case t.Kind == result.KindFile && dev.Major == 0:
		t.NUMAWhy = fsName(t) + " is not on one block device"
	default:
		t.NUMAWhy = "sysfs has no block device " + dev.String()
	}
	t.CanPoll, t.WhyNotPoll = polling(t, b)
	pollQueues(t, b, tree)
	hardware(t, b, tree)

	if x.refusesDirect && t.Direct {
		return noDirect(t.Path, t.FileSystem, nil)
	}
	if err := checkSize(t, o.BlockSize); err != nil {
		return err
	}
	t.Blocks = t.SizeBytes / o.BlockSize
	if t.Kind == result.KindFile {
		t.HoleBytes = holes(t.FD, t.SizeBytes)
	}
	return nil
}

// describe copies what sysfs knows.
func describe(t *result.Target, b *sysfs.Block) {
	t.Disk = b.Disk
	if b.Partition {
		t.Partition = b.Name
	}
	t.Driver = b.Driver.Value
	t.Model = b.Model.Value
	for _, m := range b.Members {
		if !slices.Contains(t.Members, m.Disk) {
			t.Members = append(t.Members, m.Disk)
		}
	}
	q := b.Queue
	if len(b.Paths) == 1 { // a multipath head has no queues of its own
		q.HWQueues = firstKnown(q.HWQueues, b.Paths[0].Queue.HWQueues)
		q.NrRequests = firstKnown(q.NrRequests, b.Paths[0].Queue.NrRequests)
	}
	if t.LogicalBlockBytes == nil {
		t.LogicalBlockBytes = q.LogicalBlockSize.Ptr()
	}
	if t.PhysicalBlockBytes == nil {
		t.PhysicalBlockBytes = q.PhysicalBlockSize.Ptr()
	}
	t.MaxSectorsKB = q.MaxSectorsKB.Ptr()
	t.MaxHWSectorsKB = q.MaxHWSectorsKB.Ptr()
	t.MaxSegments = q.MaxSegments.Ptr()
	t.NrRequests = q.NrRequests.Ptr()
	t.HWQueues = q.HWQueues.Ptr()
	t.Scheduler = q.Scheduler.Value
	t.IOStats = q.IOStats.Ptr()
	t.Rotational = q.Rotational.Ptr()
	t.NoMerges = q.NoMerges.Ptr()
	t.WBTLatUsec = q.WBTLatUsec.Ptr()
	t.IOPoll = q.IOPoll.Ptr()
	t.NUMANode, t.NUMAWhy = b.Node.Ptr(), b.NodeWhy
}

func firstKnown(a, b sysfs.Int) sysfs.Int {
	if a.OK() {
		return a
	}
	return b
}

// size is in bytes. For a block device, the end of the node is the same
// number as BLKGETSIZE64.
func size(t *result.Target, st *unix.Stat_t) (int64, error) {
	if t.Kind == result.KindFile {
		return st.Size, nil
	}
	n, err := unix.Seek(t.FD, 0, unix.SEEK_END)
	if err != nil {
		return 0, result.Errorf(result.StatusSetup, "find the size of %s: %w", display(t.Path), err)
	}
	return n, nil
}

func ioctlInt(fd int, req uint) result.OptInt {
	n, err := unix.IoctlGetUint32(fd, req)
	if err != nil || n == 0 {
		return nil
	}
	v := int64(n)
	return &v
}

// extra is what only statx tells.
type extra struct {
	mountID               int
	hasMountID            bool
	memAlign, offsetAlign result.OptInt // bytes
	refusesDirect         bool          // the file exists in a form that O_DIRECT cannot read
}

func statxFD(fd int) extra { return statx(fd, "", unix.AT_EMPTY_PATH) }

// statx asks for the mount (5.8) and the alignment of direct I/O (6.1), of
// reads in particular (6.15, where that may be finer). Alignments of 0 say that
// the file takes no direct I/O (statx(2)).
func statx(dirfd int, path string, flags int) extra {
	var st unix.Statx_t
	err := retry(func() error {
		return unix.Statx(dirfd, path, flags, unix.STATX_BASIC_STATS|unix.STATX_MNT_ID|unix.STATX_DIOALIGN|unix.STATX_DIO_READ_ALIGN, &st)
	})
	if err != nil {
		return extra{}
	}
	x := extra{mountID: int(st.Mnt_id), hasMountID: st.Mask&unix.STATX_MNT_ID != 0}
	if st.Mask&unix.STATX_DIOALIGN == 0 {
		return x
	}
	if st.Dio_offset_align == 0 {
		x.refusesDirect = true
		return x
	}
	mem, offset := int64(st.Dio_mem_align), int64(st.Dio_offset_align)
	if st.Mask&unix.STATX_DIO_READ_ALIGN != 0 && st.Dio_read_offset_align != 0 {
		offset = int64(st.Dio_read_offset_align)
	}
	x.memAlign, x.offsetAlign = &mem, &offset
	return x
}

// fileSystem finds the type by mount, else by the super block's device, which
// btrfs does not show in st_dev.
func fileSystem(x extra, dev sysfs.Dev, tree sysfs.Tree) string {
	mounts, err := tree.Mounts()
	if err != nil {
		return ""
	}
	for _, m := range mounts {
		if x.hasMountID && m.ID == x.mountID {
			return m.FSType
		}
	}
	for _, m := range mounts {
		if m.Dev == dev.String() {
			return m.FSType
		}
	}
	return ""
}

func fileSystemAt(path string, tree sysfs.Tree) string {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return ""
	}
	if st.Mode&unix.S_IFMT == unix.S_IFBLK {
		return ""
	}
	return fileSystem(statx(unix.AT_FDCWD, filepath.Clean(path), 0), sysfs.MakeDev(uint64(st.Dev)), tree)
}

func fsName(t *result.Target) string {
	if t.FileSystem == "" {
		return "its file system"
	}
	return "its file system (" + t.FileSystem + ")"
}
