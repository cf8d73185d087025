package sysfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func environment(t *testing.T) Tree {
	return fixture(t, "machine", "nvme", "environment")
}

func TestMachine(t *testing.T) {
	tree := environment(t)
	want := map[string]string{"meltdown": "Not affected", "spectre_v2": "Mitigation: Retpolines; IBPB: conditional"}
	if d := cmp.Diff(want, tree.Vulnerabilities()); d != "" {
		t.Errorf("vulnerabilities (-want +got):\n%s", d)
	}
	for what, c := range map[string]struct {
		got  Text
		want string
	}{
		"microcode":     {tree.Microcode(), "0xa201210"},
		"hypervisor":    {tree.Hypervisor(), "xen"},
		"vendor":        {tree.DMI().Vendor, "Acme Inc."},
		"product":       {tree.DMI().Product, "Peak Server"},
		"BIOS":          {tree.DMI().BIOSVersion, "1.2"},
		"SMT control":   {tree.SMT().Control, "on"},
		"idle driver":   {tree.CPUIdle().Driver, "acpi_idle"},
		"idle governor": {tree.CPUIdle().Governor, "menu"}, // of a kernel before 5.8
		"clocksource":   {tree.Clocksource(), "hpet"},
		"preempt":       {tree.Preempt(), "full"},
	} {
		if !c.got.OK() || c.got.Value != c.want {
			t.Errorf("%s: %+v, want %q", what, c.got, c.want)
		}
	}
	wantBool(t, "SMT", tree.SMT().Active, true)
	wantBool(t, "boost", tree.Boost(), false) // intel_pstate/no_turbo goes before cpufreq/boost
	wantBool(t, "virtual", tree.Virtual(), true)
	wantInt(t, "memory", tree.MemTotal(), 65536<<10)
	wantInt(t, "memory of node 0", tree.NodeMemTotal(0), 16384<<10)
	wantInt(t, "tainted", tree.Sysctl("kernel/tainted"), 4096)
	if m := tree.NodeMemTotal(1); m.State != Absent {
		t.Errorf("memory of node 1: %+v", m)
	}
}

func wantBool(t *testing.T, what string, got Attr[bool], want bool) {
	t.Helper()
	if !got.OK() || got.Value != want {
		t.Errorf("%s: %+v, want %v", what, got, want)
	}
}

// TestMachineAbsent: of nothing, nothing is known.
func TestMachineAbsent(t *testing.T) {
	tree := At(t.TempDir())
	if v := tree.Vulnerabilities(); v != nil {
		t.Errorf("vulnerabilities %v", v)
	}
	if c := tree.Cgroups(); c != nil {
		t.Errorf("cgroups %v", c)
	}
	for what, s := range map[string]State{
		"microcode": tree.Microcode().State, "virtual": tree.Virtual().State, "SMT": tree.SMT().Active.State,
		"boost": tree.Boost().State, "idle": tree.CPUIdle().Governor.State, "clocksource": tree.Clocksource().State,
		"preempt": tree.Preempt().State, "memory": tree.MemTotal().State, "current": tree.CurrentKHz(0).State,
		"governor": tree.Frequencies([]int{0})[0].Governor.State,
	} {
		if s != Absent {
			t.Errorf("%s is %v", what, s)
		}
	}
}

func TestFrequencies(t *testing.T) {
	tree := environment(t)
	f := tree.Frequencies([]int{1, 4})
	if f[0].CPU != 1 || f[0].Driver.Value != "acpi-cpufreq" || f[0].Governor.Value != "performance" || f[0].Preference.State != Absent {
		t.Errorf("CPU 1: %+v", f[0])
	}
	wantInt(t, "least", f[0].MinKHz, 1500000)
	wantInt(t, "most", f[0].MaxKHz, 3500000)
	wantInt(t, "limit", f[0].LimitKHz, 3600000)
	wantInt(t, "current", tree.CurrentKHz(1), 2100000)
	if f[1].MaxKHz.State != Malformed || f[1].LimitKHz.State != Absent || f[1].Preference.Value != "balance_performance" {
		t.Errorf("CPU 4: %+v", f[1])
	}
}

func TestCgroups(t *testing.T) {
	want := []Cgroup{
		{1, []string{"blkio"}, "/", []Limit{{"/", "blkio.throttle.read_iops_device", "259:0 1000"}}},
		{1, []string{"cpu", "cpuacct"}, "/jobs/one", []Limit{{"/jobs", "cpu.cfs_quota_us", "200000"}, {"/jobs", "cpu.cfs_period_us", "100000"}}},
		{1, []string{"memory"}, "/jobs/one", []Limit{{"/jobs/one", "memory.limit_in_bytes", "4294967296"}}},
		{1, []string{"pids"}, "/", nil},
		{2, nil, "/user.slice/run", []Limit{
			{"/user.slice/run", "cpu.max", "50000 100000"},
			{"/user.slice/run", "io.max", "259:0 rbps=1048576 wbps=max riops=max wiops=max; 259:1 rbps=max wbps=max riops=100 wiops=max"},
			{"/user.slice", "memory.high", "1073741824"},
		}},
	}
	got := environment(t).Cgroups()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, c := range got {
		if can := c.CanLimit(); can == (c.Controllers != nil && c.Controllers[0] == "pids") {
			t.Errorf("%v can limit: %v", c.Controllers, can)
		}
	}
}

// In a container, a part of the hierarchy is mounted: the groups have their
// own paths all the same. A second mount may show another part.
func TestCgroupsOfContainer(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"proc/self/cgroup": "0::/docker/abc/sub\n",
		"proc/self/mountinfo": "30 24 0:26 /elsewhere /other rw - cgroup2 cgroup2 rw\n" +
			"31 24 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
		"other/cpu.max":                   "1 100000\n",
		"sys/fs/cgroup/memory.max":        "1048576\n",
		"sys/fs/cgroup/sub/cpu.max":       "max 100000\n",
		"sys/fs/cgroup/sub/memory.high":   "max\n",
		"sys/fs/cgroup/sub/cpuset.cpus":   "0-3\n",
		"sys/fs/cgroup/sub/x/cpuset.cpus": "0\n",
	} {
		lay(t, root, name, []byte(text))
	}
	want := []Cgroup{{2, nil, "/docker/abc/sub", []Limit{{"/docker/abc/sub", "cpuset.cpus", "0-3"}, {"/docker/abc", "memory.max", "1048576"}}}}
	if d := cmp.Diff(want, At(root).Cgroups()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestHardware(t *testing.T) {
	tree := environment(t)
	b := block(t, tree, 259, 1) // a partition
	got := tree.Hardware(b)
	want := Hardware{
		Firmware: Have("ACME1.23"), Transport: Have("pcie"), PCI: Have("0000:81:00.0"),
		Link:  Link{Have(8.0), Have(16.0), Have(int64(2)), Have(int64(4))},
		IOMMU: Have("DMA-FQ"), RQAffinity: Have(int64(1)), WriteCache: Have("write back"), ChunkSectors: Have(int64(256)),
		MetadataBytes: Have(int64(8)), Integrity: Have("T10-DIF-TYPE1-CRC"),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// A link that is not there says so in two ways, and older kernels write speeds shorter.
	l := tree.Hardware(block(t, tree, 259, 3)).Link
	if l.GTPerSecond.State != Malformed || l.Lanes.State != Malformed || l.MaxGTPerSecond.Value != 16 || l.MaxLanes.Value != 4 {
		t.Errorf("link %+v", l)
	}
	if h := tree.Hardware(block(t, tree, 259, 5)); h.Link.Lanes.State != Absent || h.IOMMU.State != Absent || h.PCI.Value != "0000:01:00.0" {
		t.Errorf("without attributes: %+v", h)
	}
	virtual := fixture(t, "virtual")
	if h := virtual.Hardware(block(t, virtual, 7, 0)); h.PCI.State != Absent || h.Firmware.State != Absent {
		t.Errorf("a loop device: %+v", h)
	}
}

func TestBelowMount(t *testing.T) {
	for _, tt := range []struct {
		root, group, below string
		ok                 bool
	}{
		{"/", "/", "/", true},
		{"/", "/a/b", "/a/b", true},
		{"/docker/abc", "/docker/abc", "/", true},
		{"/docker/abc", "/docker/abc/sub", "/sub", true},
		{"/docker/abc", "/docker/abcd", "/", false},
		{"/docker/abc", "/", "/", false},
		{"/../..", "/", "/", false}, // mounted outside of the namespace
		{"/", "/../other", "/", false},
	} {
		if below, ok := belowMount(&Mount{Root: tt.root}, tt.group); below != tt.below || ok != tt.ok {
			t.Errorf("%s of %s: %s, %v, want %s, %v", tt.group, tt.root, below, ok, tt.below, tt.ok)
		}
	}
}
