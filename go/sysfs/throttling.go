package sysfs

import (
	"path/filepath"
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
//	cpu.stat    nr_throttled, throttled_usec (version 2) or throttled_time, in ns (1)
func (t Tree) CPUThrottling() Throttling {
	var out Throttling
	for _, h := range t.hierarchies() {
		if !h.has("cpu") {
			continue
		}
		t.upwards(&h, func(_, dir string) {
			file := filepath.Join(dir, "cpu.stat")
			if text := readText(file); text.OK() {
				add(&out.Times, text, file, "nr_throttled", 1)
				add(&out.NS, text, file, "throttled_usec", 1000)
				add(&out.NS, text, file, "throttled_time", 1)
			}
		})
	}
	return out
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
