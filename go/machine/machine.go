// Package machine gathers what a result's record says of the machine it was
// measured on: it turns what sysfs reads into a result.Environment, once,
// before a run.
//
// It does not judge what it finds, and changes nothing. Of ours it may import
// result and sysfs.
package machine

import (
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Environment reads it below root; "" is the running system's.
func Environment(root string) result.Environment {
	tree := sysfs.At(root)
	smt, idle, dmi := tree.SMT(), tree.CPUIdle(), tree.DMI()
	return result.Environment{
		Microcode:    tree.Microcode().Value,
		Mitigations:  tree.Vulnerabilities(),
		SMT:          smt.Active.Ptr(),
		SMTControl:   smt.Control.Value,
		Boost:        tree.Boost().Ptr(),
		Frequency:    frequencies(tree),
		IdleDriver:   idle.Driver.Value,
		IdleGovernor: idle.Governor.Value,
		Clocksource:  tree.Clocksource().Value,
		Virtual:      tree.Virtual().Ptr(),
		Hypervisor:   tree.Hypervisor().Value,
		Vendor:       dmi.Vendor.Value,
		Product:      dmi.Product.Value,
		BIOS:         dmi.BIOSVersion.Value,
		MemoryTotal:  tree.MemTotal().Ptr(),
		Nodes:        nodes(tree),
		Cgroups:      cgroups(tree),
		Kernel: result.KernelSettings{
			Preempt:           tree.Preempt().Value,
			PerfEventParanoid: tree.Sysctl("kernel/perf_event_paranoid").Ptr(),
			NUMABalancing:     tree.Sysctl("kernel/numa_balancing").Ptr(),
			NMIWatchdog:       tree.Sysctl("kernel/nmi_watchdog").Ptr(),
			Tainted:           tree.Sysctl("kernel/tainted").Ptr(),
		},
	}
}

func nodes(tree sysfs.Tree) []result.NUMANode {
	var out []result.NUMANode
	for _, n := range tree.Nodes() {
		out = append(out, result.NUMANode{
			Node:        n.ID,
			CPUs:        sysfs.FormatCPUList(n.CPUs.Value),
			MemoryBytes: tree.NodeMemTotal(n.ID).Ptr(),
		})
	}
	return out
}

// cgroups leaves out what cannot limit a run: hierarchies of version 1 that
// have none of the controllers whose limits are read.
func cgroups(tree sysfs.Tree) []result.Cgroup {
	var out []result.Cgroup
	for _, c := range tree.Cgroups() {
		if !c.CanLimit() {
			continue
		}
		g := result.Cgroup{Version: c.Version, Controllers: c.Controllers, Path: c.Path, Limits: []result.CgroupLimit{}}
		for _, l := range c.Limits {
			g.Limits = append(g.Limits, result.CgroupLimit(l))
		}
		out = append(out, g)
	}
	return out
}
