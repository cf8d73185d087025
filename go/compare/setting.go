package compare

import (
	"strings"

	"ringpeak/go/result"
)

// setting is a field of a spec that can tell configurations apart.
type setting struct {
	path   string
	option string // as it is typed, without its value
	title  string
}

// settings are all of them, in the order of names. Those that are not here,
// such as the length of a run, make no configuration of its own.
func settings() []setting {
	return []setting{
		{"spec.targets", "", "targets"},
		{"spec.op", "op=", "operation"},
		{"spec.engine", "engine=", "engine"},
		{"spec.block_size_bytes", "-b", "block size (-b)"},
		{"spec.depth", "-d", "depth (-d)"},
		{"spec.submit_batch", "-s", "submission batch (-s)"},
		{"spec.complete_batch", "-c", "completion batch (-c)"},
		{"spec.submitters", "-n", "submitters (-n)"},
		{"spec.random", "-R", "random (-R)"},
		{"spec.polled", "-p", "polled (-p)"},
		{"spec.hybrid_poll", "--hybrid-poll=", "hybrid polling"},
		{"spec.sqpoll", "--sqpoll=", "SQPOLL"},
		{"spec.sqpoll_cpu", "--sqpoll-cpu=", "SQPOLL CPU"},
		{"spec.sqpoll_idle_ms", "--sqpoll-idle=", "SQPOLL idle, ms"},
		{"spec.fixed_buffers", "-B", "fixed buffers (-B)"},
		{"spec.fixed_files", "-F", "fixed files (-F)"},
		{"spec.registered_ring", "-X", "registered ring (-X)"},
		{"spec.vectored", "-V", "vectored (-V)"},
		{"spec.restricted", "-e", "restricted (-e)"},
		{"spec.direct", "-O", "direct (-O)"},
		{"spec.passthrough", "-u", "passthrough (-u)"},
		{"spec.huge_file", "-H", "huge pages (-H)"},
		{"spec.latency", "-t", "latency (-t)"},
		{"spec.latency_each", "--latency=each:", "a stamp per I/O"},
		{"spec.rounds", "--rounds=", "rounds per crossing"},
		{"spec.cpus", "--cpus=", "CPUs"},
		{"spec.pinning", "--pin=", "pinning"},
		{"spec.numa", "-P", "NUMA (-P)"},
	}
}

// name is a value of the setting as an option.
func (s *setting) name(value string) string {
	switch value {
	case "true", "yes":
		value = "1"
	case "false", "no":
		value = "0"
	case "":
		value = "?"
	}
	return s.option + value
}

// work are the fields, starred, that make what was measured another thing.
var work = map[string]bool{
	"spec.op":               true,
	"spec.targets":          true,
	"spec.block_size_bytes": true,
	"spec.depth":            true,
	"spec.submitters":       true,
	"spec.random":           true,
	"targets.*.size_bytes":  true,
}

// group is where people look for a field.
func group(path string) string {
	for _, g := range []struct{ prefix, group string }{
		{"spec.", result.DiffersInSettings},
		{"clock.", result.DiffersInGranted},
		{"granted.", result.DiffersInGranted},
		{"placements.", result.DiffersInGranted},
		{"targets.", result.DiffersInTargets},
		{"tool.", result.DiffersInTool},
		{"system.kernel", result.DiffersInKernel},
		{"system.clocksource", result.DiffersInKernel},
		{"system.tsc_", result.DiffersInKernel},
		{"system.io_uring_disabled", result.DiffersInKernel},
		{"system.environment.mitigations.", result.DiffersInKernel},
		{"system.environment.kernel_settings.", result.DiffersInKernel},
		{"system.environment.clocksource", result.DiffersInKernel},
	} {
		if strings.HasPrefix(path, g.prefix) {
			return g.group
		}
	}
	return result.DiffersInMachine
}

// groups is the order in which differences are told.
var groups = []string{
	result.DiffersInSettings, result.DiffersInTargets, result.DiffersInKernel,
	result.DiffersInMachine, result.DiffersInGranted, result.DiffersInTool,
}

// title is a path in words.
func title(path string) string {
	for _, s := range settings() {
		if s.path == path {
			return s.title
		}
	}
	switch path {
	case "system.kernel":
		return "release"
	case "system.kernel_build":
		return "build"
	case "system.kernel_cmdline":
		return "command line"
	case "placements.*.cpu":
		return "CPUs of the submitters"
	case "placements.*.numa_node":
		return "memory nodes of the submitters"
	case "clock.source":
		return "clock"
	case "system.environment.cgroups.*.limits":
		return "limits of control groups"
	}
	words := strings.Split(path, ".")[1:]
	if words[0] == "environment" {
		words = words[1:]
	}
	if words[0] == "kernel_settings" {
		words = words[1:]
	}
	if words[0] == "*" { // one of all targets
		words = words[1:]
	}
	unit := func(s string) string {
		for _, u := range []string{"_ns", "_bytes"} { // the value says it
			s = strings.TrimSuffix(s, u)
		}
		return s
	}
	text := unit(strings.Join(words, " "))
	if strings.HasPrefix(path, "targets.") && !strings.HasPrefix(path, "targets.*") {
		text = "target " + text
	}
	return strings.ReplaceAll(text, "_", " ")
}
