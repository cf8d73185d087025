package check

import (
	"errors"
	"testing"

	"ringpeak/go/device"
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

func driver(name string) func(*Evidence) {
	return func(e *Evidence) { e.disk().Block.Driver, e.target().Driver = sysfs.Have(name), name }
}

func loop(dio int64) func(*Evidence) {
	return func(e *Evidence) { driver("loop")(e); e.disk().Loop.DIO = sysfs.Have(dio) }
}

func blocks(n int64, changes ...func(*Evidence)) func(*Evidence) {
	return func(e *Evidence) {
		e.target().Blocks = n
		for _, f := range changes {
			f(e)
		}
	}
}

func TestMedium(t *testing.T) {
	outcomes(t, CodeMedium, []outcome{
		{"a drive", nil, pass, "no target"},
		{"zram", driver("zram"), warn, "/dev/nvme0n1 is zram: compressed memory, not a drive|software"},
		{"null_blk", driver("null_blk"), warn, "reads nothing"},
		{"brd", driver("brd"), warn, "RAM disk"},
		{"scsi_debug", func(e *Evidence) { e.disk().Block.Model = sysfs.Have("scsi_debug") }, warn, "scsi_debug"},
		{"dm over zram", func(e *Evidence) {
			e.target().Disk, e.target().Members = "dm-0", []string{"nvme0n1"}
			driver("zram")(e)
		}, warn, "zram"},
		{"tmpfs", func(e *Evidence) { e.file(); e.target().Disk, e.target().FileSystem = "", "tmpfs" }, warn, "a file on tmpfs"},
		{"loop over tmpfs", func(e *Evidence) { loop(1)(e); e.disk().BackingFS = "tmpfs" }, warn, "over a file on tmpfs"},
		{"loop", loop(1), pass, ""},
	})
}

func TestPageCache(t *testing.T) {
	const gib = 1 << 18 // blocks
	outcomes(t, CodePageCache, []outcome{
		{"direct", nil, none, ""},
		{"fits", blocks(gib, buffered), warn, "its 1 GiB fit (16 GiB available)|-O1"},
		{"half of it", blocks(32*gib, buffered), warn, "up to 50 % of its 32 GiB"},
		{"far larger", blocks(1000*gib, buffered), pass, "62 times"},
		{"a control group has less", blocks(2*gib, buffered, memoryLimit("memory.max", "1073741824")), warn, "up to 50 % of its 2 GiB|(1 GiB available)"},
		{"a control group has more", blocks(gib, buffered, memoryLimit("memory.max", "1099511627776")), warn, "(16 GiB available)"},
		{"a limit of something else", blocks(gib, buffered, memoryLimit("cpuset.cpus", "0")), warn, "(16 GiB available)"},
		{"memory unknown", func(e *Evidence) { buffered(e); e.Result.System.MemAvailable = 0 }, unknown, "not known"},
		{"loop", blocks(gib, loop(0)), warn, "loop/dio is 0|losetup"},
		{"direct loop", blocks(gib, loop(1)), none, ""},
		{"zram is memory anyhow", blocks(gib, buffered, driver("zram")), none, ""},
		{"passthrough knows none", blocks(gib, generic, buffered), none, ""},
	})
}

func memoryLimit(name, value string) func(*Evidence) {
	return func(e *Evidence) {
		e.Result.System.Environment.Cgroups = []result.Cgroup{{Version: 2, Limits: []result.CgroupLimit{{Group: "/", Name: name, Value: value}}}}
	}
}

func TestRange(t *testing.T) {
	outcomes(t, CodeRange, []outcome{
		{"a drive", nil, pass, "1.0 TiB are read, each block 0.0037 times on average, so about 0.37 %"},
		{"sequential", func(e *Evidence) { e.Result.Spec.Random = false; e.target().Blocks = 500_000 }, pass, "2 times on average, so about 100 %"},
		{"random", blocks(1_000_000), pass, "1 times on average, so about 63 %"},
		{"small", blocks(16384), warn, "only 64 MiB are read, each block 61 times|larger"},
		{"just large enough", blocks(1 << 18), pass, ""},
		{"just too small", blocks(1<<18 - 1), warn, ""},
		{"cached", blocks(16384, buffered), none, ""},
		{"memory", blocks(16384, driver("brd")), none, ""},
	})
}

func TestWritten(t *testing.T) {
	extents := func(hole, unwritten int64) func(*Evidence) {
		return func(e *Evidence) {
			e.file()
			e.Contents[0].Extents = &device.Extents{Bytes: 1 << 30, Hole: hole, Unwritten: unwritten}
		}
	}
	noExtents := func(holes result.OptInt) func(*Evidence) {
		return func(e *Evidence) {
			e.file()
			e.Contents[0] = Contents{ExtentsErr: errors.New("no\nextents")}
			e.target().HoleBytes, e.target().SizeBytes = holes, 1<<30
		}
	}
	outcomes(t, CodeWritten, []outcome{
		{"a namespace", nil, pass, "as drives without thin provisioning always do"},
		{"trimmed", func(e *Evidence) { e.Contents[0].Used = known(1 << 30) }, warn, "50 % of its blocks|NUSE 1073741824 of NSZE 2147483648"},
		{"not told", func(e *Evidence) { e.Contents[0].Used = nil }, unknown, "6.8|nvme id-ns"},
		{"over a fabric", both(driver("nvme-tcp"), func(e *Evidence) { e.Contents[0].Used = known(1 << 30) }), warn, "50 %"},
		{"a file", extents(0, 0), pass, "all of its 1 GiB"},
		{"holes", extents(1<<29, 1<<28), warn, "75 %|512 MiB in holes, 256 MiB never written|fill"},
		{"a crumb", extents(1<<10, 0), pass, ""},
		{"no FIEMAP, holes", noExtents(known(1 << 29)), warn, "50 %"},
		{"no FIEMAP", noExtents(known(0)), unknown, "no extents|filefrag"},
		{"no FIEMAP, nothing", noExtents(nil), unknown, ""},
		{"a loop device tells nothing", loop(1), none, ""},
		{"memory", driver("brd"), none, ""},
	})
}

func TestSameData(t *testing.T) {
	samples := func(blocks, distinct, zeros int) func(*Evidence) {
		return func(e *Evidence) {
			e.Contents[0].Samples = &device.Samples{Blocks: blocks, Distinct: distinct, Zeros: zeros}
		}
	}
	outcomes(t, CodeSameData, []outcome{
		{"different", nil, pass, "32 blocks that were looked at hold 32 different"},
		{"zeros", samples(32, 1, 32), warn, "all 32 blocks|only zeros"},
		{"the same", samples(32, 1, 0), warn, "the same data"},
		{"some zeros", samples(32, 28, 5), warn, "5 of 32"},
		{"few zeros", samples(32, 30, 3), pass, ""},
		{"a pattern", samples(32, 4, 0), warn, "only 4 different"},
		{"few blocks, different", samples(2, 2, 0), pass, ""},
		{"few blocks, the same", samples(2, 1, 0), unknown, "only 2 blocks"},
		{"no time", samples(0, 0, 0), unknown, "only 0 blocks"},
		{"error", func(e *Evidence) { e.Contents[0] = Contents{SamplesErr: errors.New("EIO")} }, unknown, "EIO"},
		{"not looked at", func(e *Evidence) { e.Contents = nil }, unknown, "did not end well"},
		{"memory", driver("zram"), none, ""},
	})
}
