package check

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
)

// Rates of one disk, in reads per second, from which on a cost per I/O shows.
// At 200000 an I/O has 5 µs; two clock readings of 25 to 50 ns each, which is
// what iostats takes, are then 1 to 2 %. Trying to merge a read takes less
// than a tenth of that.
const (
	fastDisk     = 200_000
	veryFastDisk = 1_000_000
)

// blockSize holds the block size against the device's own units.
func blockSize(e *Evidence) *result.Check {
	var out []finding
	bs := e.Result.Spec.BlockSize
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		switch n := pieces(bs, t); {
		case n > 1:
			out = append(out, found(result.CheckWarn, fmt.Sprintf("use -b%dk or less, or count %d device I/Os for each read", *t.MaxSectorsKB, n),
				"%s: the kernel splits each read of %s into %d, as %s takes %d KiB at once", t.Path, size(bs), n, t.Disk, *t.MaxSectorsKB))
		case t.PhysicalBlockBytes != nil && bs < *t.PhysicalBlockBytes && t.Direct:
			out = append(out, found(result.CheckWarn, fmt.Sprintf("use -b%d to read whole ones", *t.PhysicalBlockBytes),
				"%s: reads of %d bytes are less than its physical blocks of %d, which a drive reads in full", t.Path, bs, *t.PhysicalBlockBytes))
		case t.PhysicalBlockBytes == nil && t.MaxSectorsKB == nil:
			if t.Disk != "" {
				out = append(out, found(result.CheckUnknown, "look at /sys/block/"+t.Disk+"/queue", "%s: the sizes of its blocks and I/Os are not known", t.Path))
			}
		default:
			out = append(out, found(result.CheckPass, "", "%s: reads of %s are one device I/O of whole blocks each", t.Path, size(bs)))
		}
	}
	return worst(CodeBlockSize, out)
}

// queueSettings lists the settings of a disk's queue that cost time on each
// I/O, and warns where its rate is so high that they show.
func queueSettings(e *Evidence) *result.Check {
	var out []finding
	eachDisk(e, func(name string, d *Disk, g *group) {
		q := d.Block.Queue
		if !q.Scheduler.OK() && !q.IOStats.OK() {
			out = append(out, found(result.CheckUnknown, "look at /sys/block/"+name+"/queue", "the settings of the queue of %s cannot be read", name))
			return
		}
		costs, fixes := costs(e, d, g)
		switch {
		case len(costs) == 0:
			out = append(out, found(result.CheckPass, "", "no setting of the queue of %s costs time", name))
		case g.rate < fastDisk:
			out = append(out, found(result.CheckPass, "", "%s: %s cost little at %s reads a second", name, strings.Join(costs, ", "), thousands(g.rate)))
		default:
			out = append(out, found(result.CheckWarn, "set "+strings.Join(fixes, ", ")+" in /sys/block/"+name+"/queue",
				"%s: each of %s reads a second pays for %s", name, thousands(g.rate), strings.Join(costs, ", ")))
		}
	})
	return worst(CodeQueueSettings, out)
}

// costs names the settings, and what to set instead. Passthrough goes past the
// scheduler, and is counted only with iostats and iostats_passthrough.
func costs(e *Evidence, d *Disk, g *group) (names, fixes []string) {
	add := func(name, fix string) { names, fixes = append(names, name), append(fixes, fix) }
	q := d.Block.Queue
	if e.Result.Spec.Passthrough {
		if n := e.After[d.Block.Disk].Passthrough; n.OK() && n.Value == 1 && q.IOStats.OK() && q.IOStats.Value == 1 {
			add("iostats_passthrough", "iostats_passthrough=0")
		}
		return names, fixes
	}
	if s := q.Scheduler; s.OK() && s.Value != "none" {
		add(s.Value+" (one lock, no batches)", "scheduler=none")
	}
	if n := q.IOStats; n.OK() && n.Value == 1 {
		add("iostats (8 % of a peak run)", "iostats=0")
	}
	if n := q.WBTLatUsec; n.OK() && n.Value > 0 {
		add("wbt_lat_usec (time stamps)", "wbt_lat_usec=0")
	}
	if n := q.NoMerges; n.OK() && n.Value < 2 && g.rate >= veryFastDisk {
		add("merging", "nomerges=2")
	}
	if n := q.RQAffinity; n.OK() && n.Value == 0 && !e.Polled && g.rate >= veryFastDisk {
		add("rq_affinity=0 (completions on any CPU)", "rq_affinity=1")
	}
	return names, fixes
}
