package sysfs

import (
	"path/filepath"
	"strconv"
)

// Frequency is how one CPU's clock is governed:
// /sys/devices/system/cpu/cpuN/cpufreq. All of it is Absent in most virtual
// machines.
type Frequency struct {
	CPU        int
	Driver     Text // scaling_driver
	Governor   Text // scaling_governor
	Preference Text // energy_performance_preference
	MinKHz     Int  // scaling_min_freq: the least that the governor may choose
	MaxKHz     Int  // scaling_max_freq: the most
	LimitKHz   Int  // cpuinfo_max_freq: the most that the CPU can
}

// Frequencies reads it of those CPUs, in their order.
func (t Tree) Frequencies(cpus []int) []Frequency {
	out := make([]Frequency, len(cpus))
	for i, cpu := range cpus {
		dir := t.cpufreq(cpu)
		out[i] = Frequency{
			CPU:        cpu,
			Driver:     readText(filepath.Join(dir, "scaling_driver")),
			Governor:   readText(filepath.Join(dir, "scaling_governor")),
			Preference: readText(filepath.Join(dir, "energy_performance_preference")),
			MinKHz:     readInt(filepath.Join(dir, "scaling_min_freq")),
			MaxKHz:     readInt(filepath.Join(dir, "scaling_max_freq")),
			LimitKHz:   readInt(filepath.Join(dir, "cpuinfo_max_freq")),
		}
	}
	return out
}

// CurrentKHz is scaling_cur_freq of one CPU: what it was last seen to run at,
// or was last told to. Before Linux 5.19, reading it may take 20 ms.
func (t Tree) CurrentKHz(cpu int) Int {
	return readInt(filepath.Join(t.cpufreq(cpu), "scaling_cur_freq"))
}

func (t Tree) cpufreq(cpu int) string {
	return t.path("sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), "cpufreq")
}
