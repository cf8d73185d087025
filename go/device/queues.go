package device

import (
	"slices"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// ReadQueues lists the hardware queues that interrupt-driven reads of a disk
// go to, as its driver maps them to CPUs: those for reads where there are any,
// else the ordinary ones; never polled ones. It is nil when the disk has no
// queues or they cannot be told from polled ones.
func ReadQueues(b *sysfs.Block, tree sysfs.Tree) []result.PollQueue {
	all := tree.HWQueues(b)
	if len(all) == 0 {
		return nil
	}
	var reads, others []sysfs.HWQueue
	polled := tree.PollQueues(b)
	if !polled.Count.OK() && (!b.Queue.IOPoll.OK() || b.Queue.IOPoll.Value != 0) && len(all) > 1 {
		return nil
	}
	for _, q := range all {
		isPolled := slices.ContainsFunc(polled.Queues, func(p sysfs.HWQueue) bool { return p.Index == q.Index })
		switch {
		case isPolled || q.Type.Value == "poll":
		case q.Type.Value == "read":
			reads = append(reads, q)
		default:
			others = append(others, q)
		}
	}
	if len(reads) == 0 {
		reads = others
	}
	var out []result.PollQueue
	for _, q := range reads {
		if !q.CPUs.OK() {
			return nil
		}
		out = append(out, result.PollQueue{Device: QueueDevice(b), Index: q.Index, CPUs: q.CPUs.Value})
	}
	return out
}
