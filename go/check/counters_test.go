package check

import (
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

func off(m *DiskMoment) { m.IOStats = sysfs.Have(int64(0)) }

// still switches iostats off, and the counters stand.
func still(e *Evidence) {
	m := e.Before["nvme0n1"]
	off(&m)
	e.Before["nvme0n1"], e.After["nvme0n1"] = m, m
}

func buffered(e *Evidence) { e.Result.Spec.Direct, e.target().Direct = false, false }

func generic(e *Evidence) {
	e.target().Kind, e.Result.Spec.Passthrough = result.KindGeneric, true
	e.target().NUSE, e.target().LBAs = known(5), known(5)
}

func TestDeviceReads(t *testing.T) {
	outcomes(t, CodeDeviceReads, []outcome{
		{"all of them", nil, pass, "nvme0n1 counted 1000000 reads for 1000000 completions (1.000 each)"},
		{"split", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat.Value.Reads += 1_000_000 })
		}, pass, "(2.000 each)"},
		{"merged", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat.Value.Reads -= 250_000; m.Stat.Value.ReadMerges = 250_000 })
		}, pass, "(0.750 each, after 25 % were merged)"},
		{"a page cache", func(e *Evidence) {
			e.file()
			buffered(e)
			e.counts(func(m *DiskMoment) { m.Stat.Value.ReadSectors /= 10 })
		}, warn, "served only|(10 %)|-O1"},
		{"a layer above", func(e *Evidence) {
			e.file()
			e.counts(func(m *DiskMoment) { m.Stat.Value.ReadSectors -= 160_000 })
		}, warn, "(98 %)|holes"},
		{"none at all of a file", func(e *Evidence) { e.file(); e.After["nvme0n1"] = e.Before["nvme0n1"] }, warn, "served only 0 bytes"},
		{"a driver that does not count", func(e *Evidence) { e.After["nvme0n1"] = e.Before["nvme0n1"] }, unknown, "its driver does not keep"},
		{"half a percent less", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat.Value.ReadSectors -= 40_000 })
		}, pass, ""},
		{"failed ones were not counted", func(e *Evidence) { e.Totals[0].Failed = 100_000; e.Totals[0].Submitted += 100_000 }, pass, ""},
		{"iostats off", still, unknown, "iostats of nvme0n1 is 0|queue/iostats"},
		{"off, and yet they move", func(e *Evidence) {
			m := e.Before["nvme0n1"]
			off(&m)
			e.Before["nvme0n1"] = m
			e.counts(off)
		}, warn, "switched during the run"},
		{"another disk of that name", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat = sysfs.Have(sysfs.Stat{Reads: 3, ReadSectors: 24}) })
		}, unknown, "began anew"},
		{"a file on a disk that never counts", func(e *Evidence) {
			e.file()
			e.disk().Block.Queue.HWQueues = sysfs.Int{}
			m := DiskMoment{Stat: sysfs.Have(sysfs.Stat{}), IOStats: sysfs.Have(int64(1))}
			e.Before["nvme0n1"], e.After["nvme0n1"] = m, m
		}, unknown, "its driver does not keep"},
		{"switched on", func(e *Evidence) { m := e.Before["nvme0n1"]; off(&m); e.Before["nvme0n1"] = m }, warn, "switched during the run, from 0 to 1"},
		{"a driver without queues counts anyway", func(e *Evidence) {
			m := e.Before["nvme0n1"]
			off(&m)
			e.Before["nvme0n1"] = m
			e.counts(off)
			e.disk().Block.Queue.HWQueues = sysfs.Int{}
		}, pass, "1.000 each"},
		{"unreadable", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat = sysfs.Attr[sysfs.Stat]{State: sysfs.Unreadable} })
		}, unknown, "cannot be read"},
		{"no device", func(e *Evidence) { e.file(); e.target().Disk = "" }, unknown, "/f is not on one block device"},
		{"nothing completed", func(e *Evidence) { e.Totals[0] = result.Counters{} }, unknown, "no read completed"},
		{"passthrough", generic, unknown, "passthrough commands are not counted|iostats_passthrough"},
		{"passthrough that is counted", func(e *Evidence) {
			generic(e)
			e.counts(func(m *DiskMoment) { m.Passthrough = sysfs.Have(int64(1)) })
		}, pass, "1.000 each"},
	})
}

func TestOtherIO(t *testing.T) {
	outcomes(t, CodeOtherIO, []outcome{
		{"none", nil, pass, "0 bytes read, 0 writes"},
		{"a log is written", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat.Value.Writes, m.Stat.Value.WriteSects = 90, 720 })
		}, pass, "90 writes (360 KiB)"},
		{"reads", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat.Value.Reads += 50_000; m.Stat.Value.ReadSectors += 400_000 })
		}, warn, "195.3 MiB read|iostat"},
		{"small reads through the page cache, which reads pages", func(e *Evidence) {
			buffered(e)
			e.counts(func(m *DiskMoment) { m.Stat.Value.ReadSectors += 400_000 })
		}, unknown, "195.3 MiB more than was asked for|-O1"},
		{"writes beside buffered reads", func(e *Evidence) {
			buffered(e)
			e.counts(func(m *DiskMoment) { m.Stat.Value.ReadSectors += 400_000 })
			e.counts(func(m *DiskMoment) { m.Stat.Value.Writes = 20_000 })
		}, warn, "20000 writes"},
		{"a disk that never counts", func(e *Evidence) {
			m := DiskMoment{Stat: sysfs.Have(sysfs.Stat{}), IOStats: sysfs.Have(int64(1))}
			e.Before["nvme0n1"], e.After["nvme0n1"] = m, m
		}, unknown, "does not keep"},
		{"many small writes", func(e *Evidence) { e.counts(func(m *DiskMoment) { m.Stat.Value.Writes = 20_000 }) }, warn, "20000 writes"},
		{"merged writes", func(e *Evidence) { e.counts(func(m *DiskMoment) { m.Stat.Value.WriteMerges = 20_000 }) }, warn, "20000 writes"},
		{"few large writes", func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Stat.Value.Writes, m.Stat.Value.WriteSects = 100, 1<<20 })
		}, warn, "(512 MiB)"},
		{"a trim", func(e *Evidence) { e.counts(func(m *DiskMoment) { m.Stat.Value.Discards = 20_000 }) }, warn, "20000 discards"},
		{"not counted", still, unknown, "iostats"},
		{"no device", func(e *Evidence) { e.file(); e.target().Disk = "" }, none, ""},
		{"beside passthrough that is not counted", generic, warn, "3.8 GiB read"},
		{"beside passthrough, none", func(e *Evidence) { generic(e); e.After["nvme0n1"] = e.Before["nvme0n1"] }, pass, "0 bytes read"},
	})
}

// Disks are held against those submitters that read from them, and against all
// of them where a submitter reads several.
func TestGroups(t *testing.T) {
	e := world()
	e.second(1)
	r := e.Result
	r.Targets = append(r.Targets, r.Targets[0], r.Targets[0])
	r.Targets[1].Disk, r.Targets[2].Disk = "nvme1n1", "dm-0"
	r.Targets[2].Members = []string{"nvme0n1", "nvme2n1"}
	r.Placements[1].Targets = []int{1}
	if gs := groups(e); len(gs) != 2 || gs[0].names() != "nvme0n1" || gs[0].total != e.Totals[0] || gs[1].names() != "nvme1n1" {
		t.Errorf("%+v", gs)
	}
	r.Placements[1].Targets = []int{1, 2} // dm-0 is on the first disk
	gs := groups(e)
	if len(gs) != 1 || gs[0].names() != "nvme0n1, nvme1n1, nvme2n1" || gs[0].total.Completed != 1_000_000 || len(gs[0].submitters) != 2 {
		t.Errorf("%+v", gs)
	}
}
