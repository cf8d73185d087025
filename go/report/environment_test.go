package report

import (
	"bytes"
	"strings"
	"testing"

	"ringpeak/go/result"
)

func ref[T any](v T) *T { return &v }

// environment is that of a server on which most is known.
func environment() result.Environment {
	return result.Environment{
		Microcode:   "0xa0011d1",
		Mitigations: map[string]string{"meltdown": "Not affected", "spectre_v2": "Mitigation: Retpolines; IBPB: conditional; STIBP: always-on"},
		SMT:         ref(true), SMTControl: "on", Boost: ref(false),
		Frequency: []result.Frequency{
			{
				CPUs: "0-63", Driver: "acpi-cpufreq", Governor: "performance", MinKHz: known(1500000), MaxKHz: known(2450000),
				LimitKHz: known(3529000), CurrentMinKHz: known(2449000), CurrentMaxKHz: known(2450000),
			},
			{CPUs: "64-127", Driver: "acpi-cpufreq", Governor: "schedutil"},
		},
		IdleDriver: "acpi_idle", IdleGovernor: "menu", Clocksource: "tsc", Virtual: ref(false), Vendor: "Acme Inc.", Product: "Peak Server",
		MemoryTotal: known(256 << 30), Nodes: []result.NUMANode{{Node: 0, CPUs: "0-127", MemoryBytes: known(256 << 30)}},
		Cgroups: []result.Cgroup{{Version: 2, Path: "/user.slice/run", Limits: []result.CgroupLimit{{Group: "/user.slice", Name: "memory.high", Value: "1073741824"}}}},
		Kernel:  result.KernelSettings{Preempt: "voluntary", PerfEventParanoid: known(2), NUMABalancing: known(1), Tainted: known(0)},
	}
}

func hardware() result.Hardware {
	return result.Hardware{
		Firmware: "L0310600", Transport: "pcie", PCI: "0000:81:00.0", LinkGTPerSecond: ref(8.0), MaxLinkGTPerSecond: ref(16.0),
		LinkLanes: known(4), MaxLinkLanes: known(4), IOMMU: "DMA-FQ", RQAffinity: known(1), WriteCache: "write back", ChunkSectors: known(256),
	}
}

func TestEnvironmentText(t *testing.T) {
	text := func(change func(*result.Result)) string {
		r := signalRun()
		change(r)
		var b bytes.Buffer
		if err := NewText(&b).Started(r); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
	for _, c := range []struct {
		change func(*result.Result)
		has    string
		hasNot string
	}{
		{func(r *result.Result) {}, "machine governor=performance (1500-2450MHz) on 0-63, governor=schedutil on 64-127, smt=on, boost=off", "virtual machine"},
		{func(r *result.Result) {}, "link=8GT/s x4 (of 16GT/s x4), iommu=DMA-FQ, rq_affinity=1, write_cache=write back", ""},
		{func(r *result.Result) {}, "limit memory.high=1073741824", ""},
		{func(r *result.Result) { r.System.Environment = result.Environment{} }, "workload", "machine "},
		{func(r *result.Result) { r.System.Environment.Virtual = ref(true) }, "virtual machine (Acme Inc. Peak Server)", ""},
		{func(r *result.Result) { r.System.Environment = result.Environment{Virtual: ref(true)} }, "machine virtual machine workload", ""},
		{func(r *result.Result) { r.Targets[0].LinkGTPerSecond = ref(16.0) }, "link=16GT/s x4, iommu", "(of"},
		{func(r *result.Result) { r.Targets[0].MaxLinkLanes = nil }, "link=8GT/s x4, iommu", "(of"},
		{func(r *result.Result) { r.Targets[0].Hardware = result.Hardware{} }, "node=0 threads", "firmware"},
	} {
		got := text(c.change)
		if !strings.Contains(got, c.has) || c.hasNot != "" && strings.Contains(got, c.hasNot) {
			t.Errorf("want %q, not %q, in\n%s", c.has, c.hasNot, got)
		}
	}
}
