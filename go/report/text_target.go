package report

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
)

// targets writes a few lines for each target. Limits that several targets have
// in common stand only with the first of them.
func (t *Text) targets(r *result.Result) {
	if len(r.Targets) == 0 {
		t.out.items("target", "none, a NOP reads nothing")
	}
	first := map[string]int{}
	for i := range r.Targets {
		items := limits(&r.Targets[i])
		key := strings.Join(items, "\n")
		if j, ok := first[key]; ok {
			items = []string{fmt.Sprintf("limits as those of target %d", j)}
		} else {
			first[key] = i
		}
		t.target(i, &r.Targets[i], r.Spec.BlockSize, items)
	}
}

// target writes what one target is, which bytes of it are read, its limits,
// and what makes its numbers doubtful.
func (t *Text) target(index int, g *result.Target, blockSize int64, limits []string) {
	items := []string{printable(g.Path)}
	if g.Resolved != "" {
		items[0] += " -> " + printable(g.Resolved)
	}
	items = append(items, string(g.Kind), g.Device, prefixed("disk=", g.Disk), prefixed("partition=", g.Partition),
		prefixed("driver=", g.Driver), printable(strings.TrimSpace(g.Model)), prefixed("fs=", g.FileSystem),
		prefixed("members=", strings.Join(g.Members, "+")), byteSize(g.SizeBytes))
	t.out.items(fmt.Sprintf("target %d", index), items...)
	t.out.items("", fmt.Sprintf("range 0 .. %d bytes in %d blocks of %d", g.Blocks*blockSize, g.Blocks, blockSize))
	t.out.items("", limits...)
	t.out.items("", attachment(g)...)
	t.out.items("", namespace(g)...)
	if g.WhyNotPoll != "" {
		t.out.sentence("", "cannot poll: "+printable(g.WhyNotPoll))
	}
	if h := g.HoleBytes; h != nil && *h > 0 {
		t.out.sentence("", fmt.Sprintf("WARNING: %d bytes of it (%.0f%%) are holes, which no medium serves",
			*h, 100*float64(*h)/float64(max(1, g.SizeBytes))))
	}
}

// limits are the attributes that decide about speed; sectors are logical and
// physical, dio_align is that of memory and of offsets, max_sectors is the
// limit in force and that of the hardware. An unknown one is "?".
func limits(g *result.Target) []string {
	items := []string{"sectors=" + optional(g.LogicalBlockBytes) + "/" + optional(g.PhysicalBlockBytes)}
	if g.Kind != result.KindGeneric {
		items = append(items, "dio_align="+optional(g.DIOMemAlignBytes)+"/"+optional(g.DIOOffsetAlignBytes),
			"direct="+fmt.Sprint(bit(g.Direct)), "noatime="+fmt.Sprint(bit(g.NoAtime)))
	}
	if g.MaxSectorsKB == nil && g.NrRequests == nil && g.HWQueues == nil && g.Scheduler == "" && g.IOPoll == nil {
		return append(items, "queue=?", node(g))
	}
	scheduler := g.Scheduler
	if scheduler == "" {
		scheduler = "?"
	}
	poll := "io_poll=" + optional(g.IOPoll) + ", poll_queues=" + optional(g.PollQueues)
	if g.CanPoll != result.ChoiceAuto {
		poll += ", can_poll=" + string(g.CanPoll)
	}
	return append(items, "max_sectors="+optional(g.MaxSectorsKB)+"/"+optional(g.MaxHWSectorsKB)+"KiB", "nr_requests="+optional(g.NrRequests),
		"hw_queues="+optional(g.HWQueues), "scheduler="+scheduler, "nomerges="+optional(g.NoMerges),
		"iostats="+optional(g.IOStats), "rotational="+optional(g.Rotational), poll, node(g))
}

// node is the target's NUMA node, or why it is not known.
func node(g *result.Target) string {
	switch {
	case g.NUMANode != nil && *g.NUMANode >= 0:
		return fmt.Sprintf("node=%d", *g.NUMANode)
	case g.NUMAWhy != "":
		return "node=? (" + printable(g.NUMAWhy) + ")"
	default:
		return "node=?"
	}
}

func optional(v result.OptInt) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprint(*v)
}

// namespace is what a passthrough target's format and commands are like.
func namespace(g *result.Target) []string {
	if g.Kind != result.KindGeneric {
		return nil
	}
	return []string{
		"nsid=" + optional(g.NSID), "lbas=" + optional(g.LBAs), "in_use=" + optional(g.NUSE),
		"metadata=" + optional(g.MetadataBytes) + " (" + string(g.Metadata) + ")", "pi_type=" + optional(g.PIType),
		"max_transfer=" + optional(g.MaxTransferBytes), "geometry=" + g.Geometry,
	}
}
