package check

import (
	"fmt"
	"slices"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// slack is by what share the device's count may differ from ours, and foreign
// I/O amount to, before it matters. Both counts begin before the first I/O and
// end after the last one, so that nothing in flight falls between them.
const slack = 0.01

// counted is what the disks of a group have counted during a run.
type counted struct {
	sysfs.Stat
	bytes uint64   // read
	why   *finding // why it says nothing; nil when it does
	// mute: a disk has counted no read since it appeared, not even that of its
	// partition table: its driver does not count.
	mute bool
}

// ours says whether the device counts our reads at all: passthrough commands
// only with iostats_passthrough.
func ours(e *Evidence, g *group) bool {
	for _, t := range g.targets {
		if e.Result.Targets[t].Kind != result.KindGeneric {
			continue
		}
		for _, d := range g.disks {
			if on := e.After[d].Passthrough; !on.OK() || on.Value != 1 {
				return false
			}
		}
	}
	return true
}

// count adds up the disks of a group.
func count(e *Evidence, g *group) counted {
	var c counted
	say := func(f finding) counted { return counted{why: &f} }
	if g.apart || len(g.disks) == 0 {
		return say(found(result.CheckUnknown, "compare with a run on a block device",
			"%s is not on one block device, so no counter of a device says what reached it", g.paths(e.Result)))
	}
	for _, d := range g.disks {
		before, after := e.Before[d], e.After[d]
		if !before.Stat.OK() || !after.Stat.OK() {
			return say(found(result.CheckUnknown, "look at /sys/block/"+d+"/stat", "the counters of %s cannot be read", d))
		}
		if !after.Stat.Value.Since(before.Stat.Value) {
			return say(found(result.CheckUnknown, "see in the kernel log what became of it, and repeat the run",
				"the counters of %s began anew during the run: it was taken out, or reset", d))
		}
		delta := after.Stat.Value.Sub(before.Stat.Value)
		moved := delta != (sysfs.Stat{})
		c.mute = c.mute || after.Stat.Value.Reads == 0
		was, is := before.IOStats.OK() && before.IOStats.Value == 0, after.IOStats.OK() && after.IOStats.Value == 0
		// Drivers without a request queue need not heed iostats.
		queued := e.Disks[d] != nil && e.Disks[d].Block.Queue.HWQueues.OK()
		switch {
		case was != is:
			return say(found(result.CheckWarn, "see who else sets queue/iostats; it costs time on each I/O",
				"iostats of %s was switched during the run, from %d to %d", d, before.IOStats.Value, after.IOStats.Value))
		case was && moved && queued:
			return say(found(result.CheckWarn, "see who else sets queue/iostats; it costs time on each I/O",
				"iostats of %s was switched during the run: its counters moved although it is 0 at both ends", d))
		case was && !moved:
			return say(found(result.CheckUnknown, "repeat it once with 1 in /sys/block/"+d+"/queue/iostats",
				"iostats of %s is 0, so its counters stand still", d))
		}
		c.Stat = sum(c.Stat, delta)
	}
	c.bytes = c.ReadSectors * 512
	return c
}

func sum(a, b sysfs.Stat) sysfs.Stat {
	return a.Sub(sysfs.Stat{}.Sub(b)) // unsigned arithmetic wraps both times
}

// deviceReads holds our completions against what the devices have counted.
func deviceReads(e *Evidence, gs []group) *result.Check {
	var out []finding
	for i := range gs {
		out = append(out, deviceReadsOf(e, &gs[i]))
	}
	return worst(CodeDeviceReads, out)
}

func deviceReadsOf(e *Evidence, g *group) finding {
	c := count(e, g)
	if c.why != nil {
		return *c.why
	}
	if !ours(e, g) {
		return found(result.CheckUnknown, "repeat it once with 1 in /sys/block/"+g.disks[0]+"/queue/iostats_passthrough (Linux 6.13)",
			"passthrough commands are not counted by %s", g.names())
	}
	if g.total.Completed == 0 {
		return found(result.CheckUnknown, "see why no read succeeded", "no read completed that %s could have counted", g.names())
	}
	if c.mute || c.Reads == 0 && direct(e, g) {
		return found(result.CheckUnknown, "trust the driver's documentation instead", "%s counts no reads: its driver does not keep these counters", g.names())
	}
	if missing := int64(g.total.Bytes) - int64(c.bytes); missing > tolerance(e, g) {
		return found(result.CheckWarn, reachAdvice(e, g), "%s served only %s (%s) of the %s that were read: the rest came from above it",
			g.names(), size(c.bytes), percent(float64(c.bytes), float64(g.total.Bytes)), size(g.total.Bytes))
	}
	per := float64(c.Reads) / float64(g.total.Completed)
	merged := ""
	if c.ReadMerges*100 > c.Reads {
		merged = ", after " + percent(float64(c.ReadMerges), float64(c.ReadMerges+c.Reads)) + " were merged"
	}
	return found(result.CheckPass, "", "%s counted %d reads for %d completions (%.3f each%s), %s for %s",
		g.names(), c.Reads, g.total.Completed, per, merged, size(c.bytes), size(g.total.Bytes))
}

// direct says whether all that is read is block devices, past the page cache:
// then there is nothing above the device that could answer.
func direct(e *Evidence, g *group) bool {
	for _, t := range g.targets {
		if t := &e.Result.Targets[t]; t.Kind == result.KindFile || t.Kind == result.KindBlock && !t.Direct {
			return false
		}
	}
	return true
}

// readsAhead says whether a page cache is between, which may read more than it
// is asked for.
func readsAhead(e *Evidence, g *group) bool {
	return slices.ContainsFunc(g.targets, func(i int) bool {
		t := &e.Result.Targets[i]
		return t.Kind != result.KindGeneric && !t.Direct
	})
}

func reachAdvice(e *Evidence, g *group) string {
	if readsAhead(e, g) {
		return "read directly (-O1), past the page cache"
	}
	return "look for holes, a caching file system or device-mapper target; read the device itself"
}

// tolerance in bytes: what failed may or may not have been counted.
func tolerance(e *Evidence, g *group) int64 {
	bs := e.Result.Spec.BlockSize
	stray := int64(g.total.Failed) + int64(g.total.InFlight()) + 64
	return max(int64(slack*float64(g.total.Bytes)), stray*bs)
}

// otherIO looks for I/O of others on the same disks, whatever partition.
func otherIO(e *Evidence, gs []group) *result.Check {
	var out []finding
	for i := range gs {
		g := &gs[i]
		if g.apart || len(g.disks) == 0 {
			continue // device-reads has said so
		}
		out = append(out, otherIOOf(e, g))
	}
	return worst(CodeOtherIO, out)
}

func otherIOOf(e *Evidence, g *group) finding {
	c := count(e, g)
	if c.why != nil {
		return found(result.CheckUnknown, c.why.advice, "%s", c.why.text)
	}
	read := int64(c.bytes)
	if ours(e, g) {
		read = max(read-int64(g.total.Bytes), 0)
	}
	writes, wrote := c.Writes+c.WriteMerges, c.WriteSects*512
	extra := float64(writes + c.Discards + c.Flushes)
	busy := extra > slack*float64(g.total.Completed)+16 || float64(wrote) > slack*float64(g.total.Bytes)+1<<20
	state := result.CheckPass
	switch more := read > tolerance(e, g); {
	case busy, more && !readsAhead(e, g):
		state = result.CheckWarn
	case more:
		return found(result.CheckUnknown, "read directly (-O1) to tell them apart",
			"%s read %s more than was asked for: by others, or by the page cache, which reads whole pages and ahead", g.names(), size(read))
	case c.mute:
		return found(result.CheckUnknown, "see who uses the disk (lsof)", "%s counts no reads: its driver does not keep these counters", g.names())
	}
	rest := ""
	if n := c.Discards + c.Flushes; n > 0 {
		rest = fmt.Sprintf(", %d discards and flushes", n)
	}
	return found(state, "see who uses the disk (iostat, lsof), and repeat the run without",
		"beside these reads %s had %s read, %d writes (%s)%s", g.names(), size(read), writes, size(wrote), rest)
}
