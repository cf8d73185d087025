package sysfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CPUTime is how one CPU has spent its time since boot, in ticks of TickNS
// (proc(5), /proc/stat). User and Nice contain the time of guests.
type CPUTime struct {
	CPU                                                   int
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal uint64
}

// CPUTimes reads /proc/stat, one entry for each CPU that is online.
func (t Tree) CPUTimes() ([]CPUTime, error) {
	b, err := os.ReadFile(t.path("proc/stat"))
	if err != nil {
		return nil, fmt.Errorf("read CPU times: %w", err)
	}
	return ParseCPUTimes(string(b))
}

// ParseCPUTimes parses the format of /proc/stat.
func ParseCPUTimes(text string) ([]CPUTime, error) {
	var out []CPUTime
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		digits, ok := strings.CutPrefix(words[0], "cpu")
		if !ok || digits == "" { // the line of all CPUs together has no number
			continue
		}
		var c CPUTime
		var err error
		if c.CPU, err = parseCPU(digits); err != nil {
			return nil, fmt.Errorf("parse CPU times: %w", err)
		}
		fields := []*uint64{&c.User, &c.Nice, &c.System, &c.Idle, &c.IOWait, &c.IRQ, &c.SoftIRQ, &c.Steal}
		if len(words) <= len(fields) {
			return nil, fmt.Errorf("parse CPU times: %d fields of CPU %d", len(words)-1, c.CPU)
		}
		for i, f := range fields {
			if *f, err = strconv.ParseUint(words[i+1], 10, 64); err != nil {
				return nil, fmt.Errorf("parse CPU times of CPU %d: %w", c.CPU, err)
			}
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("parse CPU times: no line of a CPU")
	}
	return out, nil
}

// ThermalThrottles adds up the files
// /sys/devices/system/cpu/cpuN/thermal_throttle/*_count: how often the CPUs
// were slowed down by heat or a power limit since boot. What happens to a
// package counts once for each of its CPUs. It is Absent where the driver does
// not count, as on AMD and in virtual machines.
func (t Tree) ThermalThrottles() Int {
	names, _ := filepath.Glob(t.path("sys/devices/system/cpu/cpu*/thermal_throttle/*_count")) // the pattern is right
	if len(names) == 0 {
		return Int{}
	}
	sum := Have[int64](0)
	for _, name := range names {
		n := readInt(name)
		if !n.OK() {
			return n
		}
		sum.Value += n.Value
	}
	return sum
}
