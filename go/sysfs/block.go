package sysfs

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Dev is a device number.
type Dev struct{ Major, Minor uint32 }

// MakeDev splits the dev_t of stat(2).
func MakeDev(d uint64) Dev { return Dev{unix.Major(d), unix.Minor(d)} }

// String is the kernel's "259:0".
func (d Dev) String() string { return fmt.Sprintf("%d:%d", d.Major, d.Minor) }

// Block is a block device: a whole disk, or a partition of one. Queue, Driver,
// Model, Members, Paths and Node are those of the whole disk.
type Block struct {
	Name      string // in /sys/class/block
	Disk      string // of the whole disk, in /sys/block; Name unless this is a partition
	Partition bool

	Dev       Text     // DIR/dev, "259:0"
	SizeBytes Int      // DIR/size × 512
	ReadOnly  Int      // DIR/ro
	Holders   []string // DIR/holders: devices built on this very node

	Queue  Queue
	Driver Text // nvme, virtio_blk, loop, device-mapper, …; Absent when nothing tells
	Model  Text // DISK/device/model
	// Parent is the device that DISK/device leads to: the controller nvme0,
	// the subsystem of a multipath head, virtio1. Absent for virtual disks.
	Parent Text

	// Members are the lowest devices of a dm or md device, found through
	// DISK/slaves, recursively: whole disks or partitions.
	Members []*Block
	// Paths are the hidden per-controller disks below the head of native NVMe
	// multipath, e.g. nvme0c0n1 below nvme0n1.
	Paths []*Block

	Node    Int    // NUMA node; never negative
	NodeWhy string // why Node is not known: half a sentence

	dir string // of the whole disk
}

// Queue holds DISK/queue/*. Attributes that a driver or kernel lacks are Absent.
type Queue struct {
	LogicalBlockSize  Int // bytes
	PhysicalBlockSize Int // bytes
	MaxSectorsKB      Int // largest I/O before the kernel splits it, KiB
	MaxHWSectorsKB    Int // KiB
	MaxSegments       Int // pieces of memory in one command
	NrRequests        Int // per hardware queue; absent without a request queue
	Scheduler         Text
	IOStats           Int // 0, 1
	Rotational        Int // 0, 1
	IOPoll            Int // since 5.16: 1 when the device has poll queues
	NoMerges          Int // 0, 1, 2
	WBTLatUsec        Int // µs; 0 is off; unreadable (EINVAL) on some drivers
	HWQueues          Int // entries in DISK/mq
	RQAffinity        Int // 0, 1, 2: on which CPU an interrupt completes
}

// maxDepth bounds the walk through stacked devices.
const maxDepth = 16

// Block reads the device with that number, through /sys/dev/block. The error
// is for a device that is not there at all.
func (t Tree) Block(d Dev) (*Block, error) {
	return t.blockAt(t.path("sys/dev/block", d.String()), 0)
}

// BlockNamed reads a device by its kernel name, through /sys/class/block.
func (t Tree) BlockNamed(name string) (*Block, error) {
	if name == "." || name == ".." || name != filepath.Base(name) {
		return nil, fmt.Errorf("block device %q: not a kernel name", name)
	}
	return t.blockAt(t.path("sys/class/block", name), 0)
}

func (t Tree) blockAt(link string, depth int) (*Block, error) {
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return nil, fmt.Errorf("find block device: %w", err)
	}
	b := &Block{
		Name:      filepath.Base(dir),
		Dev:       readText(filepath.Join(dir, "dev")),
		SizeBytes: readInt(filepath.Join(dir, "size")),
		ReadOnly:  readInt(filepath.Join(dir, "ro")),
		Holders:   readNames(filepath.Join(dir, "holders")),
	}
	b.SizeBytes.Value *= 512
	disk := dir
	if exists(filepath.Join(dir, "partition")) {
		b.Partition = true
		disk = filepath.Dir(dir)
	}
	b.Disk, b.dir = filepath.Base(disk), disk
	b.Queue = readQueue(disk)
	b.Model = readText(filepath.Join(disk, "device/model"))
	if name, ok := linkBase(filepath.Join(disk, "device")); ok {
		b.Parent = Have(name)
	}
	if depth < maxDepth {
		b.Members = t.members(b, disk, depth)
		b.Paths = t.nvmePaths(b.Disk, disk, depth)
	}
	b.Driver = t.driver(b, disk)
	t.setNode(b, disk)
	return b, nil
}

func readQueue(disk string) Queue {
	num := func(name string) Int { return readInt(filepath.Join(disk, "queue", name)) }
	scheduler := filepath.Join(disk, "queue/scheduler")
	return Queue{
		LogicalBlockSize:  num("logical_block_size"),
		PhysicalBlockSize: num("physical_block_size"),
		MaxSectorsKB:      num("max_sectors_kb"),
		MaxHWSectorsKB:    num("max_hw_sectors_kb"),
		MaxSegments:       num("max_segments"),
		NrRequests:        num("nr_requests"),
		Scheduler:         parseAttr(readText(scheduler), scheduler, parseScheduler),
		IOStats:           num("iostats"),
		Rotational:        num("rotational"),
		IOPoll:            num("io_poll"),
		NoMerges:          num("nomerges"),
		WBTLatUsec:        num("wbt_lat_usec"),
		HWQueues:          countQueues(filepath.Join(disk, "mq")),
		RQAffinity:        num("rq_affinity"),
	}
}

func countQueues(mq string) Int {
	names := readNames(mq)
	if names == nil {
		return Int{}
	}
	return Have(int64(len(names)))
}

// parseScheduler takes the bracketed word of "none [mq-deadline] kyber".
// Devices without a request queue say a bare "none".
func parseScheduler(s string) (string, error) {
	for word := range strings.FieldsSeq(s) {
		if inner, ok := strings.CutPrefix(word, "["); ok && strings.HasSuffix(inner, "]") {
			return strings.TrimSuffix(inner, "]"), nil
		}
	}
	if s == "none" {
		return s, nil
	}
	return "", errors.New("no scheduler in brackets")
}
