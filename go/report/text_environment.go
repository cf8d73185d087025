package report

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
)

// environment writes what is known of how the machine is set up, in one
// paragraph. What is unknown is left out: the document has the rest.
func (t *Text) environment(e *result.Environment) {
	items := governors(e.Frequency)
	items = append(items, setting("smt", e.SMT), setting("boost", e.Boost), prefixed("idle=", e.IdleGovernor),
		prefixed("clocksource=", e.Clocksource), prefixed("preempt=", e.Kernel.Preempt), nodeCount(e.Nodes), virtual(e))
	items = append(items, cgroupLimits(e.Cgroups)...)
	if slices.ContainsFunc(items, func(s string) bool { return s != "" }) {
		t.out.items("machine", items...)
	}
}

func setting(name string, on result.OptBool) string {
	switch {
	case on == nil:
		return ""
	case *on:
		return name + "=on"
	}
	return name + "=off"
}

// governors are those of the allowed CPUs with their limits in MHz.
func governors(list []result.Frequency) []string {
	var items []string
	for i := range list {
		f := &list[i]
		if f.Governor == "" {
			continue
		}
		s := "governor=" + printable(f.Governor)
		if f.MinKHz != nil && f.MaxKHz != nil {
			s += fmt.Sprintf(" (%d-%dMHz)", *f.MinKHz/1000, *f.MaxKHz/1000)
		}
		if len(list) > 1 {
			s += " on " + f.CPUs
		}
		items = append(items, s)
	}
	return items
}

func nodeCount(nodes []result.NUMANode) string {
	if len(nodes) == 0 {
		return ""
	}
	return fmt.Sprintf("nodes=%d", len(nodes))
}

func virtual(e *result.Environment) string {
	if e.Virtual == nil || !*e.Virtual {
		return ""
	}
	name := strings.TrimSpace(e.Vendor + " " + e.Product)
	if name == "" {
		name = e.Hypervisor
	}
	if name == "" {
		return "virtual machine"
	}
	return "virtual machine (" + printable(name) + ")"
}

// cgroupLimits are what the process's control groups do not let it have.
func cgroupLimits(groups []result.Cgroup) []string {
	var items []string
	for _, g := range groups {
		for _, l := range g.Limits {
			items = append(items, "limit "+l.Name+"="+printable(l.Value))
		}
	}
	return items
}

// attachment is how a target's disk is attached and set up. A link that was
// trained below what the device can says so.
func attachment(g *result.Target) []string {
	link := ""
	if g.LinkGTPerSecond != nil && g.LinkLanes != nil {
		link = fmt.Sprintf("link=%gGT/s x%d", *g.LinkGTPerSecond, *g.LinkLanes)
		if known := g.MaxLinkGTPerSecond != nil && g.MaxLinkLanes != nil; known &&
			(*g.LinkGTPerSecond < *g.MaxLinkGTPerSecond || *g.LinkLanes < *g.MaxLinkLanes) {
			link += fmt.Sprintf(" (of %gGT/s x%d)", *g.MaxLinkGTPerSecond, *g.MaxLinkLanes)
		}
	}
	affinity := ""
	if g.RQAffinity != nil {
		affinity = fmt.Sprintf("rq_affinity=%d", *g.RQAffinity)
	}
	return []string{
		prefixed("firmware=", printable(strings.TrimSpace(g.Firmware))), prefixed("pci=", g.PCI), link,
		prefixed("iommu=", g.IOMMU), affinity, prefixed("write_cache=", g.WriteCache),
	}
}
