package sysfs

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Vulnerabilities is /sys/devices/system/cpu/vulnerabilities/*: the state of
// each hardware vulnerability, mitigation included, by its name. It is nil
// where the kernel tells none (before 4.15).
func (t Tree) Vulnerabilities() map[string]string {
	return readTexts(t.path("sys/devices/system/cpu/vulnerabilities"))
}

// readTexts reads the files of a directory that can be read; nil without any.
func readTexts(dir string) map[string]string {
	var out map[string]string
	for _, name := range readNames(dir) {
		text := readText(filepath.Join(dir, name))
		if !text.OK() {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = text.Value
	}
	return out
}

// Microcode is the revision that the first CPU in /proc/cpuinfo runs, as the
// kernel writes it (0xffffffff in some virtual machines); Absent on
// architectures that have none.
func (t Tree) Microcode() Text {
	return field(readText(t.path("proc/cpuinfo")), "microcode")
}

// Virtual says whether the CPU tells that it is a virtual machine's: the flag
// "hypervisor" in /proc/cpuinfo. Absent where there are no x86 flags.
func (t Tree) Virtual() Attr[bool] {
	flags := field(readText(t.path("proc/cpuinfo")), "flags")
	if !flags.OK() {
		return Attr[bool]{State: flags.State, Err: flags.Err}
	}
	return Have(slices.Contains(strings.Fields(flags.Value), "hypervisor"))
}

// Hypervisor is /sys/hypervisor/type, which Xen guests and some others have.
func (t Tree) Hypervisor() Text { return readText(t.path("sys/hypervisor/type")) }

// DMI is /sys/class/dmi/id: what the firmware calls the machine. Serial
// numbers are not read.
type DMI struct {
	Vendor, Product Text // sys_vendor, product_name
	BIOSVersion     Text // bios_version
}

// DMI reads it.
func (t Tree) DMI() DMI {
	id := func(name string) Text { return readText(t.path("sys/class/dmi/id", name)) }
	return DMI{Vendor: id("sys_vendor"), Product: id("product_name"), BIOSVersion: id("bios_version")}
}

// SMT is /sys/devices/system/cpu/smt (4.19).
type SMT struct {
	Active  Attr[bool] // active: some core runs more than one thread
	Control Text       // control: on, off, forceoff, notsupported, notimplemented
}

// SMT reads it.
func (t Tree) SMT() SMT {
	dir := t.path("sys/devices/system/cpu/smt")
	return SMT{Active: readBool(filepath.Join(dir, "active")), Control: readText(filepath.Join(dir, "control"))}
}

func readBool(path string) Attr[bool] {
	return parseAttr(readText(path), path, func(s string) (bool, error) {
		switch s {
		case "0", "N":
			return false, nil
		case "1", "Y":
			return true, nil
		}
		return false, errors.New("neither 0 nor 1")
	})
}

// Boost says whether CPUs may run above their nominal frequency: the inverse
// of intel_pstate/no_turbo, else cpufreq/boost, below /sys/devices/system/cpu.
func (t Tree) Boost() Attr[bool] {
	if no := readBool(t.path("sys/devices/system/cpu/intel_pstate/no_turbo")); no.OK() {
		return Have(!no.Value)
	}
	return readBool(t.path("sys/devices/system/cpu/cpufreq/boost"))
}

// CPUIdle is /sys/devices/system/cpu/cpuidle.
type CPUIdle struct {
	Driver   Text // current_driver
	Governor Text // current_governor, or current_governor_ro before 5.8
}

// CPUIdle reads it.
func (t Tree) CPUIdle() CPUIdle {
	dir := t.path("sys/devices/system/cpu/cpuidle")
	out := CPUIdle{
		Driver:   readText(filepath.Join(dir, "current_driver")),
		Governor: readText(filepath.Join(dir, "current_governor")),
	}
	if out.Governor.State == Absent {
		out.Governor = readText(filepath.Join(dir, "current_governor_ro"))
	}
	return out
}

// Clocksource is what clock_gettime reads: current_clocksource of
// /sys/devices/system/clocksource/clocksource0.
func (t Tree) Clocksource() Text {
	return readText(t.path("sys/devices/system/clocksource/clocksource0/current_clocksource"))
}

// MemTotal is the memory that the kernel manages, in bytes: MemTotal of
// /proc/meminfo.
func (t Tree) MemTotal() Int { return t.meminfo("proc/meminfo", "MemTotal") }

// NodeMemTotal is the same of one NUMA node:
// /sys/devices/system/node/nodeN/meminfo.
func (t Tree) NodeMemTotal(node int) Int {
	n := strconv.Itoa(node)
	return t.meminfo("sys/devices/system/node/node"+n+"/meminfo", "Node "+n+" MemTotal")
}

func (t Tree) meminfo(path, key string) Int {
	return parseAttr(field(readText(t.path(path)), key), path, func(s string) (int64, error) {
		kib, err := strconv.ParseInt(strings.TrimSuffix(s, " kB"), 10, 64)
		return kib << 10, err
	})
}

// Sysctl is a decimal file below /proc/sys: Sysctl("kernel/tainted").
func (t Tree) Sysctl(name string) Int { return readInt(t.path("proc/sys", name)) }

// Preempt is the preemption model that is in force: the word in parentheses of
// /sys/kernel/debug/sched/preempt, which only root may read (5.12), or
// "realtime" where /sys/kernel/realtime is 1.
func (t Tree) Preempt() Text {
	if rt := readBool(t.path("sys/kernel/realtime")); rt.OK() && rt.Value {
		return Have("realtime")
	}
	path := t.path("sys/kernel/debug/sched/preempt")
	return parseAttr(readText(path), path, func(s string) (string, error) {
		for word := range strings.FieldsSeq(s) {
			if inner, ok := strings.CutPrefix(word, "("); ok && strings.HasSuffix(inner, ")") {
				return strings.TrimSuffix(inner, ")"), nil
			}
		}
		return "", errors.New("no model in parentheses")
	})
}
