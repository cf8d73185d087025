package result

// Environment is what else the number depends on: read once, before the run,
// from /sys and /proc. What cannot be read is null or left out; nothing is
// guessed. Serial numbers are left out on purpose, so that a document can be
// shown to anybody.
type Environment struct {
	// Microcode is the revision that the first CPU runs.
	Microcode string `json:"microcode,omitempty"`
	// Mitigations are the hardware vulnerabilities by their kernel names, with
	// what is done about each, in the kernel's words.
	Mitigations map[string]string `json:"mitigations,omitempty"`

	SMT        OptBool `json:"smt_active"`            // some core runs more than one thread
	SMTControl string  `json:"smt_control,omitempty"` // on, off, forceoff, notsupported, notimplemented
	Boost      OptBool `json:"boost"`                 // CPUs may run above their nominal frequency (turbo)
	// Frequency is how the clocks of the allowed CPUs are governed, alike ones
	// together; empty in most virtual machines.
	Frequency    []Frequency `json:"frequency,omitempty"`
	IdleDriver   string      `json:"idle_driver,omitempty"`
	IdleGovernor string      `json:"idle_governor,omitempty"`
	Clocksource  string      `json:"clocksource,omitempty"` // what CLOCK_MONOTONIC reads: tsc, kvm-clock, hpet, …

	Virtual    OptBool `json:"virtual_machine"`        // the CPU says that it is a virtual machine's
	Hypervisor string  `json:"hypervisor,omitempty"`   // /sys/hypervisor/type
	Vendor     string  `json:"dmi_vendor,omitempty"`   // of the machine, as its firmware says
	Product    string  `json:"dmi_product,omitempty"`  // likewise
	BIOS       string  `json:"bios_version,omitempty"` // likewise

	MemoryTotal OptInt     `json:"memory_total_bytes"`
	Nodes       []NUMANode `json:"numa_nodes,omitempty"`
	// Cgroups are the control groups of the process that could limit it.
	Cgroups []Cgroup       `json:"cgroups,omitempty"`
	Kernel  KernelSettings `json:"kernel_settings"`
}

// Frequency is what some CPUs have in common.
type Frequency struct {
	CPUs          string `json:"cpus"` // list syntax
	Driver        string `json:"driver,omitempty"`
	Governor      string `json:"governor,omitempty"`
	Preference    string `json:"energy_performance_preference,omitempty"`
	MinKHz        OptInt `json:"min_khz"`          // the least that the governor may choose
	MaxKHz        OptInt `json:"max_khz"`          // the most
	LimitKHz      OptInt `json:"hardware_max_khz"` // the most that the CPU can
	CurrentMinKHz OptInt `json:"current_min_khz"`  // the slowest of the first eight of them, before the run
	CurrentMaxKHz OptInt `json:"current_max_khz"`  // the fastest
}

// NUMANode is one of the machine's.
type NUMANode struct {
	Node        int    `json:"node"`
	CPUs        string `json:"cpus"` // list syntax; empty for one that has only memory
	MemoryBytes OptInt `json:"memory_bytes"`
}

// Cgroup is one control group of the process.
type Cgroup struct {
	Version     int           `json:"version"`               // 1 or 2
	Controllers []string      `json:"controllers,omitempty"` // of version 1
	Path        string        `json:"path"`
	Limits      []CgroupLimit `json:"limits"` // its own and those of the groups above it; empty when there is none
}

// CgroupLimit is one limit that holds for the process. Value is the text of
// the kernel's file Name, whose units the kernel's documentation gives:
// microseconds of cpu.max, bytes of memory.max.
type CgroupLimit struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KernelSettings are some of the kernel's settings, by their names in /proc/sys.
type KernelSettings struct {
	Preempt           string `json:"preempt,omitempty"` // none, voluntary, full, lazy, realtime; only root can read it
	PerfEventParanoid OptInt `json:"perf_event_paranoid"`
	NUMABalancing     OptInt `json:"numa_balancing"`
	NMIWatchdog       OptInt `json:"nmi_watchdog"`
	Tainted           OptInt `json:"tainted"` // bits of Documentation/admin-guide/tainted-kernels.rst; 0 is a clean kernel
}

// Hardware is what a target's disk is attached by. All of it is empty for a
// disk that is made of several, unless they agree.
type Hardware struct {
	Firmware  string `json:"firmware,omitempty"`  // revision
	Transport string `json:"transport,omitempty"` // of NVMe: pcie, tcp, rdma, fc, loop
	PCI       string `json:"pci_address,omitempty"`

	LinkGTPerSecond    OptFloat `json:"link_gt_per_second,omitempty"`     // speed of the PCI Express link as it was trained, per lane
	MaxLinkGTPerSecond OptFloat `json:"max_link_gt_per_second,omitempty"` // the most that the device can
	LinkLanes          OptInt   `json:"link_lanes,omitempty"`             // width of the link as it was trained
	MaxLinkLanes       OptInt   `json:"max_link_lanes,omitempty"`         // the most that the device can
	IOMMU              string   `json:"iommu,omitempty"`                  // identity, DMA, DMA-FQ

	RQAffinity   OptInt `json:"rq_affinity,omitempty"`   // 0 anywhere, 1 the submitter's CPU group, 2 its very CPU
	WriteCache   string `json:"write_cache,omitempty"`   // write back, write through
	ChunkSectors OptInt `json:"chunk_sectors,omitempty"` // of 512 bytes: I/O across a multiple of it is split
	// Of an NVMe disk's LBA format, beside logical_block_bytes; a passthrough
	// target has the whole format in its own fields.
	LBAMetadataBytes OptInt `json:"lba_metadata_bytes,omitempty"`
	Integrity        string `json:"integrity_format,omitempty"` // T10-DIF-TYPE1-CRC, …
}
