package sysfs

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
)

// Stat is DISK/stat: what a whole disk, its partitions included, has completed
// since it appeared. Whether it counts at all is up to DISK/queue/iostats;
// drivers without a request queue (zram, some others) may count regardless.
type Stat struct {
	Reads       uint64 // requests
	ReadMerges  uint64 // reads that became part of another request
	ReadSectors uint64 // of 512 bytes, whatever the sector size
	Writes      uint64
	WriteMerges uint64
	WriteSects  uint64 // sectors written, of 512 bytes
	Discards    uint64 // since 4.18; 0 before
	Flushes     uint64 // since 5.5; 0 before
}

// statFields is how many numbers the oldest kernels have.
const statFields = 11

// Stat reads the counters of a whole disk, by its name in /sys/block.
func (t Tree) Stat(disk string) Attr[Stat] {
	path := t.diskPath(disk, "stat")
	return parseAttr(readText(path), path, parseStat)
}

func parseStat(s string) (Stat, error) {
	words := strings.Fields(s)
	if len(words) < statFields {
		return Stat{}, errors.New("too few numbers")
	}
	n := make([]uint64, 17)
	for i := range min(len(n), len(words)) {
		v, err := strconv.ParseUint(words[i], 10, 64)
		if err != nil {
			return Stat{}, err
		}
		n[i] = v
	}
	return Stat{
		Reads: n[0], ReadMerges: n[1], ReadSectors: n[2],
		Writes: n[4], WriteMerges: n[5], WriteSects: n[6], Discards: n[11], Flushes: n[15],
	}, nil
}

// Sub is s − o, field by field; o is the earlier reading.
func (s Stat) Sub(o Stat) Stat {
	return Stat{
		Reads: s.Reads - o.Reads, ReadMerges: s.ReadMerges - o.ReadMerges, ReadSectors: s.ReadSectors - o.ReadSectors,
		Writes: s.Writes - o.Writes, WriteMerges: s.WriteMerges - o.WriteMerges, WriteSects: s.WriteSects - o.WriteSects,
		Discards: s.Discards - o.Discards, Flushes: s.Flushes - o.Flushes,
	}
}

// Since says whether s can be a later reading of what o was read from: no
// counter went back. They begin anew with a device that takes another's name.
func (s Stat) Since(o Stat) bool {
	return s.Reads >= o.Reads && s.ReadMerges >= o.ReadMerges && s.ReadSectors >= o.ReadSectors &&
		s.Writes >= o.Writes && s.WriteMerges >= o.WriteMerges && s.WriteSects >= o.WriteSects &&
		s.Discards >= o.Discards && s.Flushes >= o.Flushes
}

// IOStats reads DISK/queue/iostats, and DISK/queue/iostats_passthrough, which
// 6.12 does not have yet.
func (t Tree) IOStats(disk string) (block, passthrough Int) {
	return readInt(t.diskPath(disk, "queue/iostats")), readInt(t.diskPath(disk, "queue/iostats_passthrough"))
}

// diskPath is in /sys/class/block, which has the hidden paths of multipath too.
// The kernel writes "!" for the "/" in the name of a disk.
func (t Tree) diskPath(disk, attr string) string {
	if disk == "" || disk != filepath.Base(disk) || disk == "." || disk == ".." {
		return t.path("sys/class/block/?", attr) // there is none
	}
	return t.path("sys/class/block", disk, attr)
}

// Loop is what a loop device reads: DISK/loop/*.
type Loop struct {
	BackingFile Text // as the kernel prints its path
	DIO         Int  // 1: past the page cache of that file
}

// Loop reads it; both are Absent for other devices.
func (t Tree) Loop(disk string) Loop {
	return Loop{readText(t.diskPath(disk, "loop/backing_file")), readInt(t.diskPath(disk, "loop/dio"))}
}
