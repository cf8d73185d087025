package sysfs

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
)

// HWQueue is a hardware queue of a disk (blk-mq's hctx) that serves CPUs.
type HWQueue struct {
	Index int
	// CPUs whose I/O goes to it: DISK/mq/N/cpu_list. Newer kernels leave
	// isolated CPUs out of it, although their I/O goes somewhere too.
	CPUs Attr[[]int]
	// Type is default, read or poll: hctxN/type in debugfs, which only root may
	// see, below /sys/kernel/debug/block/DISK.
	Type Text
}

// HWQueues lists DISK/mq by index; nil for a disk without, such as a multipath
// head or a dm device. Queues that no CPU is mapped to are not in there.
func (t Tree) HWQueues(b *Block) []HWQueue {
	var out []HWQueue
	for _, name := range readNames(filepath.Join(b.dir, "mq")) {
		n, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		out = append(out, HWQueue{
			Index: n,
			CPUs:  readCPUs(filepath.Join(b.dir, "mq", name, "cpu_list")),
			Type:  readText(t.path("sys/kernel/debug/block", b.Disk, "hctx"+name, "type")),
		})
	}
	slices.SortFunc(out, func(a, b HWQueue) int { return cmp.Compare(a.Index, b.Index) })
	return out
}

// PollQueues are the polled queues of one disk.
type PollQueues struct {
	Count  Int       // Absent when nothing tells
	Queues []HWQueue // Count of them, unless nothing tells them apart
	Source string    // of Count: debugfs, io_poll, interrupts
}

// PollQueues counts the polled queues of a disk that has queues of its own, in
// three ways, the best first: by the types in debugfs; as none, when
// queue/io_poll is 0 (exact since 5.16); as what is left of the queues when
// those that interrupt are taken away, for the drivers whose interrupts have
// names. NVMe, virtio_blk and null_blk put polled queues last.
func (t Tree) PollQueues(b *Block) PollQueues {
	all := t.HWQueues(b)
	if polled, ok := polledByType(all); ok {
		return PollQueues{Have(int64(len(polled))), polled, "debugfs"}
	}
	poll := b.Queue.IOPoll
	if poll.OK() && poll.Value == 0 {
		return PollQueues{Have(int64(0)), nil, "io_poll"}
	}
	owner := b.IRQOwner()
	if owner == "" || len(all) == 0 {
		return PollQueues{}
	}
	in, err := t.Interrupts()
	if err != nil {
		return PollQueues{}
	}
	n, known := in.Queues(owner)
	left := len(all) - n
	if !known || left < 0 || left == 0 && poll.OK() {
		return PollQueues{} // none is what io_poll denies
	}
	return PollQueues{Have(int64(left)), all[n:], "interrupts"}
}

func polledByType(all []HWQueue) (polled []HWQueue, ok bool) {
	for _, q := range all {
		if !q.Type.OK() {
			return nil, false
		}
		if q.Type.Value == "poll" {
			polled = append(polled, q)
		}
	}
	return polled, len(all) > 0
}

// IRQOwner is the device by whose name /proc/interrupts lists the queues of
// the disk; empty for drivers whose lines have other names, or none.
func (b *Block) IRQOwner() string {
	if d := b.Driver.Value; (d == "nvme" || d == "virtio_blk") && len(b.Paths) == 0 {
		return b.Parent.Value
	}
	return ""
}

// Lowest lists the disks in which I/O ends: those below a dm or md device, the
// paths of a multipath head, or else the disk itself. Each is there once.
func (b *Block) Lowest() []*Block {
	below := slices.Concat(b.Members, b.Paths)
	if len(below) == 0 {
		return []*Block{b}
	}
	var out []*Block
	for _, m := range below {
		for _, l := range m.Lowest() {
			if !slices.ContainsFunc(out, func(o *Block) bool { return o.Disk == l.Disk }) {
				out = append(out, l)
			}
		}
	}
	return out
}
