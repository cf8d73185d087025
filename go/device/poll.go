package device

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// neverPolls are the drivers that have no poll queues in any kernel.
var neverPolls = []string{"loop", "zram", "brd", "ublk", "nbd"}

// InMemory says whether a file system keeps its data in memory, and has no
// device below it.
func InMemory(fileSystem string) bool {
	return slices.Contains([]string{"tmpfs", "ramfs", "hugetlbfs", "devtmpfs"}, fileSystem)
}

// polling says whether polled reads of a target can work, as far as sysfs
// knows; b is its disk, nil when there is none. Yes is still to be confirmed
// by one polled read. For no, the reason names the layer that refuses.
func polling(t *result.Target, b *sysfs.Block) (result.Choice, string) {
	if !t.Direct {
		return result.ChoiceNo, "buffered reads cannot be polled, only O_DIRECT ones"
	}
	if b != nil {
		return Polling(b)
	}
	if InMemory(t.FileSystem) {
		return result.ChoiceNo, t.FileSystem + " has no device below it that could be polled"
	}
	return result.ChoiceAuto, ""
}

// Polling says whether a block device can be polled, by queue/io_poll of its
// disk. The attribute is 1 exactly when the disk has poll queues since kernel
// 5.16 (a614dd228035); before, it is a switch that is 0 by default without
// them. Auto means that the attribute is missing.
func Polling(b *sysfs.Block) (result.Choice, string) {
	poll := b.Queue.IOPoll
	switch {
	case poll.OK() && poll.Value == 1:
		return result.ChoiceYes, ""
	case slices.Contains(neverPolls, b.Driver.Value):
		return result.ChoiceNo, fmt.Sprintf("the %s driver of %s has no poll queues%s", b.Driver.Value, b.Disk, ioPoll(b))
	case !poll.OK():
		return result.ChoiceAuto, ""
	}
	switch b.Driver.Value {
	case "device-mapper":
		return result.ChoiceNo, b.Disk + " is polled only if each of its members is" + refusing(b, ", but does not pass polling on"+ioPoll(b))
	case "md":
		return result.ChoiceNo, "md does not pass polling on" + ioPoll(b) + refusing(b, "")
	}
	return result.ChoiceNo, b.Disk + " has no poll queues" + ioPoll(b) + remedy(b.Driver.Value)
}

func ioPoll(b *sysfs.Block) string {
	if !b.Queue.IOPoll.OK() {
		return ""
	}
	return fmt.Sprintf(" (queue/io_poll is %d)", b.Queue.IOPoll.Value)
}

// refusing names the first member that cannot be polled, otherwise it is none.
func refusing(b *sysfs.Block, none string) string {
	for _, m := range b.Members {
		if c, why := Polling(m); c == result.ChoiceNo {
			return ", and " + why
		}
	}
	return none
}

// remedy is how a driver gets poll queues. Writing queue/io_poll does nothing
// since 5.16, and an NVMe reset after writing the parameter enables nothing.
func remedy(driver string) string {
	switch {
	case driver == "nvme":
		return "; boot with nvme.poll_queues=N, or reload or rebind the nvme driver with that parameter"
	case strings.HasPrefix(driver, "nvme-"):
		return "; connect with --nr-poll-queues=N"
	case driver == "virtio_blk":
		return "; boot with virtio_blk.poll_queues=N (kernel 5.19 or later, and a host that offers several queues)"
	case driver == "null_blk":
		return "; load null_blk with poll_queues=N"
	}
	return ""
}
