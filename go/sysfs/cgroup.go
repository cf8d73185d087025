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
// of version 1 only those of cpu, memory and blkio. It is nil when there is no
// such file. The hierarchies are looked for where systemd and container
// runtimes mount them: below /sys/fs/cgroup.
func (t Tree) Cgroups() []Cgroup {
	text := readText(t.path("proc/self/cgroup"))
	var out []Cgroup
	for line := range strings.Lines(text.Value) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		c := Cgroup{Version: 1, Path: parts[2]}
		var mount string
		switch {
		case parts[0] == "0" && parts[1] == "":
			c.Version, mount = 2, t.unified()
		case strings.HasPrefix(parts[1], "name="):
			continue // without controllers
		default:
			c.Controllers = strings.Split(parts[1], ",")
			mount = t.path("sys/fs/cgroup", parts[1])
			if !exists(mount) {
				mount = t.path("sys/fs/cgroup", c.Controllers[0])
			}
		}
		c.Limits = limits(&c, mount)
		out = append(out, c)
	}
	return out
}

func (t Tree) unified() string {
	if hybrid := t.path("sys/fs/cgroup/unified"); exists(hybrid) {
		return hybrid
	}
	return t.path("sys/fs/cgroup")
}

// limits walks from the group to the root of the hierarchy. In a container
// whose path names a group outside of it, the mount is the group.
func limits(c *Cgroup, mount string) []Limit {
	group := filepath.Clean("/" + c.Path)
	if !exists(filepath.Join(mount, group)) {
		group = "/"
	}
	var out []Limit
	for {
		for _, f := range limitFiles {
			if f.version != c.Version || !c.has(f.controller) {
				continue
			}
			v := readText(filepath.Join(mount, group, f.name))
			if v.OK() && !f.none(v.Value) {
				out = append(out, Limit{Group: group, Name: f.name, Value: strings.ReplaceAll(v.Value, "\n", "; ")})
				if f.name == cfsQuota { // which says nothing without its period
					const period = "cpu.cfs_period_us"
					if v := readText(filepath.Join(mount, group, period)); v.OK() {
						out = append(out, Limit{Group: group, Name: period, Value: v.Value})
					}
				}
			}
		}
		if group == "/" {
			return out
		}
		group = filepath.Dir(group)
	}
}

func (c *Cgroup) has(controller string) bool {
	return controller == "" || slices.Contains(c.Controllers, controller)
}

// CanLimit says whether limits of the group are among those that are read.
func (c *Cgroup) CanLimit() bool {
	return slices.ContainsFunc(limitFiles, func(f limitFile) bool { return f.version == c.Version && c.has(f.controller) })
}
