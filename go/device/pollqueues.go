package device

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// pollQueues counts and lists the polled queues of the disks below b, which is
// nil when the target is on none.
func pollQueues(t *result.Target, b *sysfs.Block, tree sysfs.Tree) {
	if b == nil {
		return
	}
	if len(b.Members) > 0 && b.Queue.IOPoll.OK() && b.Queue.IOPoll.Value == 0 {
		t.PollQueues = new(int64) // it passes no polling on, whatever is below
		return
	}
	disks := b.Lowest()
	for _, disk := range disks {
		if owner := disk.IRQOwner(); owner != "" && !slices.Contains(t.IRQOwners, owner) {
			t.IRQOwners = append(t.IRQOwners, owner)
		}
	}
	least, known := int64(0), true
	for i, disk := range disks {
		p := tree.PollQueues(disk)
		if p.Count.OK() && p.Count.Value == 0 {
			t.PollQueues, t.PollMap = new(int64), nil
			return
		}
		known = known && p.Count.OK()
		if i == 0 || p.Count.Value < least {
			least = p.Count.Value
		}
		for _, q := range p.Queues {
			t.PollMap = append(t.PollMap, result.PollQueue{Device: QueueDevice(disk), Index: q.Index, CPUs: q.CPUs.Value})
		}
	}
	if known {
		t.PollQueues = &least
	}
}

// QueueDevice names what owns the queues of a disk: all namespaces of an NVMe
// controller share them.
func QueueDevice(b *sysfs.Block) string {
	if owner := b.IRQOwner(); owner != "" {
		return owner
	}
	if b.Parent.OK() && isNVMe(b) {
		return b.Parent.Value
	}
	return b.Disk
}

func isNVMe(b *sysfs.Block) bool { return strings.HasPrefix(b.Driver.Value, "nvme") }

// passthroughPolling says whether polled passthrough will poll. Kernels give
// no error without poll queues: commands then complete by interrupts while
// the ring spins, or on some stall. So the queues alone decide; b has them.
func passthroughPolling(t *result.Target, b *sysfs.Block) (result.Choice, string) {
	switch {
	case t.PollQueues != nil && *t.PollQueues > 0:
		return result.ChoiceYes, ""
	case t.PollQueues == nil:
		if b != nil && allPoll(b) {
			return result.ChoiceYes, "" // there are some; only their number is unknown
		}
		return result.ChoiceAuto, ""
	}
	why := "the controller has no poll queues"
	for _, disk := range b.Lowest() {
		if choice, text := Polling(disk); choice == result.ChoiceNo {
			why = text
			break
		}
	}
	return result.ChoiceNo, fmt.Sprintf("passthrough would complete by interrupts without saying so: %s", why)
}

// allPoll says whether io_poll claims poll queues for each disk below b.
func allPoll(b *sysfs.Block) bool {
	return !slices.ContainsFunc(b.Lowest(), func(d *sysfs.Block) bool {
		return !d.Queue.IOPoll.OK() || d.Queue.IOPoll.Value != 1
	})
}
