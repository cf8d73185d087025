package sysfs

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Cgroup is where the process stands in one hierarchy of control groups.
type Cgroup struct {
	Version     int      // 1 or 2
	Controllers []string // of version 1: cpu, memory, …; nil of version 2
	Path        string   // as /proc/self/cgroup has it
	Limits      []Limit  // that hold for it, from its own group up to the root
}

// Limit is one limit that is set in a group. A group without a limit of its
// own obeys those of the groups above it, so the tightest counts.
type Limit struct {
	Group string // path of the group that has it
	Name  string // of the file, which is documented in the kernel's cgroup-v1 and cgroup-v2
	Value string // as it stands there; lines are joined by "; "
}

// noLimit is what memory files of version 1 show at least when there is none:
// the largest number of pages, in bytes.
const noLimit = 1 << 62

const cfsQuota = "cpu.cfs_quota_us"

// limitFile is a file of a group that holds a limit.
type limitFile struct {
	version    int
	controller string // of version 1
	name       string
	none       func(string) bool
}

// limitFiles are the files that hold limits of CPU, memory and I/O, and what
// they hold when there is none. cpuset.cpus of version 1 is not among them: it
// is never empty, and the CPUs that are allowed are known anyway.
var limitFiles = []limitFile{
	{2, "", "cpu.max", func(s string) bool { return strings.HasPrefix(s, "max") }},
	{2, "", "cpuset.cpus", isEmpty},
	{2, "", "memory.max", isMax},
	{2, "", "memory.high", isMax},
	{2, "", "io.max", isEmpty},
	{2, "", "io.latency", isEmpty},
	{1, "cpu", cfsQuota, func(s string) bool { return strings.HasPrefix(s, "-") }},
	{1, "memory", "memory.limit_in_bytes", isHuge},
	{1, "blkio", "blkio.throttle.read_bps_device", isEmpty},
	{1, "blkio", "blkio.throttle.read_iops_device", isEmpty},
}

func isEmpty(s string) bool { return s == "" }
func isMax(s string) bool   { return s == "max" }

func isHuge(s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	return err == nil && n >= noLimit
}

// Cgroups reads /proc/self/cgroup and the limits of the groups that it names,
// and of those above them that can be seen; of version 1 only those of cpu,
// memory and blkio. It is nil when there is no such file.
func (t Tree) Cgroups() []Cgroup {
	var out []Cgroup
	for _, h := range t.hierarchies() {
		c := Cgroup{Version: h.version, Controllers: h.controllers, Path: h.group}
		t.upwards(&h, func(group, dir string) {
			for _, f := range limitFiles {
				if f.of(&c) {
					c.Limits = append(c.Limits, f.read(group, dir)...)
				}
			}
		})
		out = append(out, c)
	}
	return out
}

// of says whether groups of c can have the file.
func (f *limitFile) of(c *Cgroup) bool {
	return f.version == c.Version && (f.version == 2 || slices.Contains(c.Controllers, f.controller))
}

// read is what limits a group: nothing, one limit, or a quota and its period,
// without which it says nothing.
func (f *limitFile) read(group, dir string) []Limit {
	v := readText(filepath.Join(dir, f.name))
	if !v.OK() || f.none(v.Value) {
		return nil
	}
	out := []Limit{{Group: group, Name: f.name, Value: strings.ReplaceAll(v.Value, "\n", "; ")}}
	if f.name == cfsQuota {
		const period = "cpu.cfs_period_us"
		if v := readText(filepath.Join(dir, period)); v.OK() {
			out = append(out, Limit{Group: group, Name: period, Value: v.Value})
		}
	}
	return out
}

// CanLimit says whether limits of the group are among those that are read.
func (c *Cgroup) CanLimit() bool {
	return slices.ContainsFunc(limitFiles, func(f limitFile) bool { return f.of(c) })
}
