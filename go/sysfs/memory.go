package sysfs

import (
	"strconv"
	"strings"
)

// MemAvailable is what can be allocated without swapping, in bytes:
// MemAvailable of /proc/meminfo (proc(5), kernel 3.14).
func (t Tree) MemAvailable() Int {
	text := field(readText(t.path("proc/meminfo")), "MemAvailable")
	return parseAttr(text, "proc/meminfo", func(s string) (int64, error) {
		kib, err := strconv.ParseInt(strings.TrimSuffix(s, " kB"), 10, 64)
		return kib << 10, err
	})
}
