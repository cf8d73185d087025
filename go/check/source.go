package check

import (
	"math"
	"strconv"

	"ringpeak/go/device"
	"ringpeak/go/result"
)

// memoryDrivers are those of block devices that keep their data in memory or
// have none.
var memoryDrivers = map[string]string{
	"zram":     "zram: compressed memory",
	"brd":      "a RAM disk (brd): memory",
	"null_blk": "null_blk, which reads nothing",
}

// memory says what a target is when no drive is behind it, else "".
func memory(e *Evidence, t *result.Target) string {
	if t.Kind == result.KindFile && device.InMemory(t.FileSystem) {
		return "a file on " + t.FileSystem + ": memory"
	}
	for _, name := range disksOf(t) {
		d := e.Disks[name]
		if d == nil {
			continue
		}
		switch {
		case memoryDrivers[d.Block.Driver.Value] != "":
			return memoryDrivers[d.Block.Driver.Value]
		case d.Block.Model.Value == "scsi_debug":
			return "scsi_debug: memory"
		case device.InMemory(d.BackingFS):
			return "a loop device over a file on " + d.BackingFS + ": memory"
		}
	}
	return ""
}

// medium says when a target is no drive: such devices are for tests of
// software, and a pasted result should tell.
func medium(e *Evidence) *result.Check {
	var out []finding
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		if what := memory(e, t); what != "" {
			out = append(out, found(result.CheckWarn, "take the number as what the software can do",
				"%s is %s, not a drive", t.Path, what))
			continue
		}
		out = append(out, found(result.CheckPass, "", "no target is known to be memory"))
	}
	return worst(CodeMedium, out)
}

// cached says through which page cache a target is read, else "".
func cached(e *Evidence, t *result.Target) string {
	if t.Kind != result.KindGeneric && !t.Direct {
		return "read through the page cache (-O0)"
	}
	for _, name := range disksOf(t) {
		if d := e.Disks[name]; d != nil && d.Loop.DIO.OK() && d.Loop.DIO.Value == 0 {
			return "its file is read through the page cache (loop/dio is 0)"
		}
	}
	return ""
}

// span is how many bytes of a target are read.
func span(e *Evidence, t *result.Target) int64 { return t.Blocks * e.Result.Spec.BlockSize }

// roomy is how much larger than memory a range must be for the page cache not
// to matter: it then serves up to a tenth of the reads.
const roomy = 10

// memoryFor is what memory there is for the page cache of this process: what is
// available, or what its control groups allow, whichever is less; 0 is unknown.
func memoryFor(s *result.System) int64 {
	have := s.MemAvailable
	for _, g := range s.Environment.Cgroups {
		for _, l := range g.Limits {
			switch l.Name {
			case "memory.max", "memory.high", "memory.limit_in_bytes":
				if n, err := strconv.ParseInt(l.Value, 10, 64); err == nil && have > 0 {
					have = min(have, n)
				}
			}
		}
	}
	return have
}

// pageCache holds what is read through a page cache against the memory that
// there is for one; nil when nothing is.
func pageCache(e *Evidence) *result.Check {
	var out []finding
	have := memoryFor(&e.Result.System)
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		how := cached(e, t)
		if how == "" || memory(e, t) != "" {
			continue
		}
		advice := "read directly (-O1)"
		if t.Direct {
			advice = "read the file itself, or losetup --direct-io=on"
		}
		switch n := span(e, t); {
		case have <= 0:
			out = append(out, found(result.CheckUnknown, advice, "%s: %s, and how much memory it has is not known", t.Path, how))
		case n <= have:
			out = append(out, found(result.CheckWarn, advice,
				"%s: %s, into which its %s fit (%s available): after the first pass no device is involved", t.Path, how, size(n), size(have)))
		case n < roomy*have:
			out = append(out, found(result.CheckWarn, advice, "%s: %s, into which up to %s of its %s fit (%s available)",
				t.Path, how, percent(float64(have), float64(n)), size(n), size(have)))
		default:
			out = append(out, found(result.CheckPass, "", "%s: %s, and its %s are %.0f times what memory there is", t.Path, how, size(n), float64(n)/float64(have)))
		}
	}
	return worst(CodePageCache, out)
}

// smallRange is below what a cache of the device may hold: twice the 512 MiB
// that the largest drives have for data. (Of an SSD's memory most is its map;
// RAID controllers and the hosts of virtual disks may cache more.)
const smallRange = 1 << 30

// coverage says how large a range was read and how much of it was touched,
// and warns when it is small. Targets that are memory, or read through a page
// cache, have their own checks; nil when there are no others.
func coverage(e *Evidence) *result.Check {
	var out []finding
	s := &e.Result.Spec
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		n := span(e, t)
		if memory(e, t) != "" || cached(e, t) != "" || t.Blocks <= 0 || i >= len(e.Result.PerTarget) {
			continue
		}
		each := float64(e.Result.PerTarget[i].Completed) / float64(t.Blocks)
		touched := min(each, 1)
		if s.Random {
			touched = 1 - math.Exp(-each) // of blocks drawn with repetition
		}
		if n < smallRange {
			out = append(out, found(result.CheckWarn, "read a larger file or the whole device",
				"%s: only %s are read, each block %.2g times: caches in or below the device may hold less than %s",
				t.Path, size(n), each, size(int64(smallRange))))
			continue
		}
		out = append(out, found(result.CheckPass, "", "%s: %s are read, each block %.2g times on average, so about %s of them were touched",
			t.Path, size(n), each, percent(touched, 1)))
	}
	return worst(CodeRange, out)
}
