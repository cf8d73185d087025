package sysfs

import (
	"path"
	"strconv"
	"strings"
)

// Throttling is how often, and for how long in nanoseconds and summed over
// CPUs, a quota of CPU time has held tasks back.
type Throttling struct{ Times, NS Int }

// CPUThrottling adds up cpu.stat of the control group of this process and of
// all groups above it that can be seen, since the quota is often that of a
// parent. A group without a quota counts as never throttled. It is Absent
// when no group shows its cpu.stat.
//
//	/proc/self/cgroup    0::/path (version 2), 3:cpu,cpuacct:/path (version 1)
//	cpu.stat             nr_throttled, throttled_usec (2) or throttled_time, in ns (1)
func (t Tree) CPUThrottling() Throttling {
	var out Throttling
	mounts, err := t.Mounts()
	if err != nil {
		return out
	}
	for line := range strings.Lines(readText(t.path("proc/self/cgroup")).Value) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if m := cpuMount(mounts, parts[0], parts[1]); m != nil {
			t.addThrottling(&out, m, parts[2])
		}
	}
	return out
}

// cpuMount finds where a hierarchy is mounted that may have the cpu
// controller. Those of version 1 are known by the name of their mount point.
func cpuMount(mounts []Mount, id, controllers string) *Mount {
	hasCPU := false
	for c := range strings.SplitSeq(controllers, ",") {
		hasCPU = hasCPU || c == "cpu"
	}
	for i := range mounts {
		m := &mounts[i]
		switch {
		case id == "0" && controllers == "" && m.FSType == "cgroup2",
			hasCPU && m.FSType == "cgroup" && path.Base(m.Point) == controllers:
			return m
		}
	}
	return nil
}

// addThrottling walks from a group up to its mount.
func (t Tree) addThrottling(out *Throttling, m *Mount, group string) {
	below, ok := strings.CutPrefix(group, strings.TrimSuffix(m.Root, "/"))
	if !ok || strings.HasPrefix(below, "/..") {
		below = "/" // of another namespace: what is mounted is all that can be seen
	}
	for dir := path.Join("/", below); ; dir = path.Dir(dir) {
		file := t.path(m.Point, dir, "cpu.stat")
		if text := readText(file); text.OK() {
			add(&out.Times, text, file, "nr_throttled", 1)
			add(&out.NS, text, file, "throttled_usec", 1000)
			add(&out.NS, text, file, "throttled_time", 1)
		}
		if dir == "/" {
			return
		}
	}
}

// add adds a value of "key value" lines, in units of unit, to sum; one that
// makes no sense spoils it for good.
func add(sum *Int, text Text, file, key string, unit int64) {
	if sum.State == Absent {
		*sum = Have[int64](0)
	}
	for line := range strings.Lines(text.Value) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		if k != key || !sum.OK() {
			continue
		}
		n := parseAttr(Have(v), file, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
		if !n.OK() {
			*sum = n
			return
		}
		sum.Value += n.Value * unit
	}
}
