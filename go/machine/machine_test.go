package machine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
	"ringpeak/go/sysfs/sysfstest"
)

func fixture(t *testing.T) string {
	const dir = "../sysfs/testdata/fixtures/"
	return sysfstest.Load(t, dir+"machine.txtar", dir+"nvme.txtar", dir+"environment.txtar")
}

func number(n int64) result.OptInt { return &n }
func truth(b bool) result.OptBool  { return &b }
func limit(g, n, v string) []result.CgroupLimit {
	return []result.CgroupLimit{{Group: g, Name: n, Value: v}}
}

func TestEnvironment(t *testing.T) {
	want := result.Environment{
		Microcode:   "0xa201210",
		Mitigations: map[string]string{"meltdown": "Not affected", "spectre_v2": "Mitigation: Retpolines; IBPB: conditional"},
		SMT:         truth(true), SMTControl: "on", Boost: truth(false),
		Frequency: []result.Frequency{
			{
				CPUs: "0-1", Driver: "acpi-cpufreq", Governor: "performance", MinKHz: number(1500000), MaxKHz: number(3500000),
				LimitKHz: number(3600000), CurrentMinKHz: number(2100000), CurrentMaxKHz: number(3400000),
			},
			{CPUs: "4", Driver: "acpi-cpufreq", Governor: "schedutil", Preference: "balance_performance", MinKHz: number(1500000)},
		},
		IdleDriver: "acpi_idle", IdleGovernor: "menu", Clocksource: "hpet",
		Virtual: truth(true), Hypervisor: "xen", Vendor: "Acme Inc.", Product: "Peak Server", BIOS: "1.2",
		MemoryTotal: number(65536 << 10),
		Nodes: []result.NUMANode{
			{Node: 0, CPUs: "0-1,4-5", MemoryBytes: number(16384 << 10)}, {Node: 1, CPUs: "2-3,6-7"}, {Node: 2},
		},
		Cgroups: []result.Cgroup{
			{Version: 1, Controllers: []string{"blkio"}, Path: "/", Limits: limit("/", "blkio.throttle.read_iops_device", "259:0 1000")},
			{
				Version: 1, Controllers: []string{"cpu", "cpuacct"}, Path: "/jobs/one",
				Limits: append(limit("/jobs", "cpu.cfs_quota_us", "200000"), limit("/jobs", "cpu.cfs_period_us", "100000")...),
			},
			{Version: 1, Controllers: []string{"memory"}, Path: "/jobs/one", Limits: limit("/jobs/one", "memory.limit_in_bytes", "4294967296")},
			{Version: 2, Path: "/user.slice/run", Limits: append(append(limit("/user.slice/run", "cpu.max", "50000 100000"),
				limit("/user.slice/run", "io.max", "259:0 rbps=1048576 wbps=max riops=max wiops=max; 259:1 rbps=max wbps=max riops=100 wiops=max")...),
				limit("/user.slice", "memory.high", "1073741824")...)},
		},
		Kernel: result.KernelSettings{
			Preempt: "full", PerfEventParanoid: number(2), NUMABalancing: number(0), NMIWatchdog: number(1), Tainted: number(4096),
		},
	}
	got := Environment(fixture(t))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	text, err := json.Marshal(got)
	if err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("a serial number, or %v, in %s", err, text)
	}
}

// TestNothingKnown: an empty tree leaves everything unknown, and 0 or false nowhere.
func TestNothingKnown(t *testing.T) {
	got := Environment(t.TempDir())
	if d := cmp.Diff(result.Environment{}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestHere reads the machine that the test runs on.
func TestHere(t *testing.T) {
	got := Environment("")
	if got.MemoryTotal == nil || *got.MemoryTotal <= 0 {
		t.Errorf("memory: %v", got.MemoryTotal)
	}
	if len(got.Cgroups) == 0 {
		t.Log("no control groups here")
	}
}
