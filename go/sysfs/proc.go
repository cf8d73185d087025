package sysfs

import (
	"strconv"
	"strings"
)

// Policy is what may keep a process from using io_uring.
type Policy struct {
	// IOURingDisabled is /proc/sys/kernel/io_uring_disabled (6.6): 0 anyone,
	// 1 only IOURingGroup and CAP_SYS_ADMIN, 2 nobody.
	IOURingDisabled Int
	// IOURingGroup is /proc/sys/kernel/io_uring_group (6.6): a group ID, -1 none.
	IOURingGroup Int
	// Seccomp is the line of /proc/self/status: 0 off, 1 strict, 2 filter.
	Seccomp Int
}

// Policy reads it. The seccomp mode is that of the main thread.
func (t Tree) Policy() Policy {
	return Policy{
		IOURingDisabled: readInt(t.path("proc/sys/kernel/io_uring_disabled")),
		IOURingGroup:    readInt(t.path("proc/sys/kernel/io_uring_group")),
		Seccomp: parseAttr(t.status("Seccomp"), "proc/self/status", func(s string) (int64, error) {
			return strconv.ParseInt(s, 10, 64)
		}),
	}
}

// AllowedCPUs is Cpus_allowed_list of /proc/self/status, of the main thread.
func (t Tree) AllowedCPUs() Attr[[]int] {
	return parseAttr(t.status("Cpus_allowed_list"), "proc/self/status", ParseCPUList)
}

// status returns one line of /proc/self/status; Absent when it is missing.
func (t Tree) status(key string) Text {
	return field(readText(t.path("proc/self/status")), key)
}

// CPUModel is the first "model name" in /proc/cpuinfo; Absent on
// architectures that have none.
func (t Tree) CPUModel() Text {
	return field(readText(t.path("proc/cpuinfo")), "model name")
}

// Cmdline is /proc/cmdline.
func (t Tree) Cmdline() Text { return readText(t.path("proc/cmdline")) }

// field finds the first "key : value" line.
func field(text Text, key string) Text {
	if !text.OK() {
		return text
	}
	for line := range strings.Lines(text.Value) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return Have(strings.TrimSpace(v))
		}
	}
	return Text{}
}

// PerfEventParanoid is /proc/sys/kernel/perf_event_paranoid: from 2 on only
// those with CAP_PERFMON may count in the kernel, from 3 or 4 on (a patch of
// distributions) at all.
func (t Tree) PerfEventParanoid() Int {
	return readInt(t.path("proc/sys/kernel/perf_event_paranoid"))
}
