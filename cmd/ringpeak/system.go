package main

import (
	"runtime"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine/cring"
	"ringpeak/go/machine"
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// tool says what this binary is.
func tool() result.Tool {
	linked := cring.Linked()
	return result.Tool{
		Version:  version,
		Commit:   commit,
		Liburing: linked.Liburing,
		CoreID:   linked.CoreID,
		Go:       runtime.Version(),
	}
}

// system says where it runs.
func system() result.System {
	tree := sysfs.At("")
	policy := tree.Policy()
	tsc := tree.TSC()
	s := result.System{
		Cmdline:         tree.Cmdline().Value,
		CPUModel:        tree.CPUModel().Value,
		Clocksource:     tsc.Clocksource.Value,
		TSCTrusted:      tsc.WhyNot() == "",
		WhyNotTSC:       tsc.WhyNot(),
		CPUs:            runtime.NumCPU(),
		Allowed:         sysfs.FormatCPUList(tree.AllowedCPUs().Value),
		MemAvailable:    tree.MemAvailable().Value,
		IOURingDisabled: policy.IOURingDisabled.Ptr(),
		Seccomp:         policy.Seccomp.Ptr(),
		Environment:     machine.Environment(""),
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		s.Kernel = unix.ByteSliceToString(u.Release[:])
		s.Build = unix.ByteSliceToString(u.Version[:])
		s.Machine = unix.ByteSliceToString(u.Machine[:])
	}
	return s
}
