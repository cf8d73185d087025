package result

// TargetKind is what a path turned out to be.
type TargetKind string

// The kinds of target.
const (
	KindFile    TargetKind = "file"
	KindBlock   TargetKind = "block"
	KindGeneric TargetKind = "nvme-generic" // /dev/ngXnY, an NVMe namespace that is read through passthrough
)

// OptInt is a number that the system may not tell. JSON null is "unknown",
// never zero.
type OptInt = *int64

// OptFloat is the same for a figure that is not whole.
type OptFloat = *float64

// OptBool is the same for a boolean.
type OptBool = *bool

// Target is one opened path: what it is, how large, and what its limits are.
// A field that could not be read is nil or empty; it is never guessed.
type Target struct {
	Path     string     `json:"path"`               // as given
	Renamed  bool       `json:"renamed,omitempty"`  // Path is a name for people: a file that the tool made itself and that is gone
	Resolved string     `json:"resolved,omitempty"` // what was opened, without symlinks, if different; the twin when that was followed
	Kind     TargetKind `json:"kind"`
	FD       int        `json:"-"` // open, read-only, close-on-exec; owned by the device package

	SizeBytes int64 `json:"size_bytes"`
	// Blocks is how many whole I/Os of the run's block size fit: the range
	// that offsets are drawn from is [0, Blocks × block size).
	Blocks int64 `json:"blocks"`

	Device     string   `json:"device,omitempty"`      // "259:0", of the device itself or of the file's file system
	Disk       string   `json:"disk,omitempty"`        // name in /sys/block of the whole disk, e.g. nvme0n1
	Partition  string   `json:"partition,omitempty"`   // name, when the target is or lies on one
	Driver     string   `json:"driver,omitempty"`      // nvme, virtio_blk, loop, zram, device-mapper, …
	Model      string   `json:"model,omitempty"`       // as the device says
	FileSystem string   `json:"file_system,omitempty"` // of a file
	Members    []string `json:"members,omitempty"`     // of dm and md: the disks below, recursively

	LogicalBlockBytes   OptInt `json:"logical_block_bytes"`
	PhysicalBlockBytes  OptInt `json:"physical_block_bytes"`
	DIOMemAlignBytes    OptInt `json:"dio_mem_align_bytes"`    // statx, 6.1+
	DIOOffsetAlignBytes OptInt `json:"dio_offset_align_bytes"` // statx, 6.1+
	MaxSectorsKB        OptInt `json:"max_sectors_kib"`
	MaxHWSectorsKB      OptInt `json:"max_hw_sectors_kib"`
	MaxSegments         OptInt `json:"max_segments"` // pieces of memory in one command
	NrRequests          OptInt `json:"nr_requests"`
	HWQueues            OptInt `json:"hardware_queues"`
	Scheduler           string `json:"scheduler,omitempty"`
	IOStats             OptInt `json:"iostats"`
	Rotational          OptInt `json:"rotational"`
	NoMerges            OptInt `json:"nomerges"`
	WBTLatUsec          OptInt `json:"wbt_lat_us"` // writeback throttling; 0 is off
	NUMANode            OptInt `json:"numa_node"`  // nil or negative: unknown
	NUMAWhy             string `json:"numa_unknown_because,omitempty"`

	// IOPoll is the queue's io_poll attribute: 1 when it has poll queues
	// (5.16+), 0 when not.
	IOPoll OptInt `json:"io_poll"`
	// CanPoll is the outcome of sysfs and of one polled read together: yes, no, or auto when not tried.
	CanPoll    Choice `json:"can_poll"`
	WhyNotPoll string `json:"cannot_poll_because,omitempty"`
	// PollQueues is how many hardware queues of the device are polled; of
	// several devices below (multipath, dm), the least that one of them has.
	// They are those of the whole controller, whatever the namespace.
	PollQueues OptInt `json:"poll_queues"`
	// PollMap lists them, for submitters to be held against; empty when they
	// are not known one by one.
	PollMap []PollQueue `json:"poll_map,omitempty"`
	// IRQOwners are the devices by whose names /proc/interrupts lists the
	// queues: nvme0, virtio1. Empty for drivers whose lines cannot be told.
	IRQOwners []string `json:"irq_owners,omitempty"`

	Hardware
	NVMe

	Direct    bool   `json:"direct"`               // O_DIRECT in force; means nothing to KindGeneric
	NoAtime   bool   `json:"noatime"`              // O_NOATIME in force
	HoleBytes OptInt `json:"hole_bytes,omitempty"` // of a file: bytes in holes (SEEK_HOLE), which no medium serves
}

// PollQueue is one polled hardware queue. The CPU that submits chooses it; two
// submitters on CPUs of one queue share its locks.
type PollQueue struct {
	Device string `json:"device"` // the controller (nvme0) or disk (nullb0); with Index, the queue's identity
	Index  int    `json:"index"`  // N of /sys/block/DISK/mq/N
	// CPUs whose I/O goes there. Newer kernels leave out isolated ones, so a
	// CPU that no queue names is unknown, not unserved.
	CPUs []int `json:"cpus"`
}

// Placement is where one submitter runs and what it reads.
type Placement struct {
	Submitter int   `json:"submitter"`
	TID       int   `json:"tid,omitempty"`        // known once the thread runs
	CPU       int   `json:"cpu"`                  // -1: not pinned
	Node      int   `json:"numa_node"`            // of its memory; -1: not set
	Targets   []int `json:"targets"`              // indexes into Result.Targets
	Shared    bool  `json:"cpu_shared,omitempty"` // its CPU has another submitter
}

// Granted is what the kernel gave one submitter, as opposed to what was asked.
type Granted struct {
	SetupFlags    []string `json:"setup_flags"`             // io_uring_setup flags in force, without the IORING_SETUP_ prefix
	Dropped       []string `json:"dropped_flags,omitempty"` // wanted for speed, unknown to this kernel
	SQEntries     int      `json:"sq_entries"`
	CQEntries     int      `json:"cq_entries"`
	Features      uint64   `json:"features"` // io_uring_params.features
	Polled        bool     `json:"polled"`
	FixedBuffers  bool     `json:"fixed_buffers"`
	FixedFiles    bool     `json:"fixed_files"`
	RingFD        bool     `json:"registered_ring"`
	BufferBytes   int64    `json:"buffer_bytes"`   // allocated for I/O
	BufferRegions int      `json:"buffer_regions"` // registered iovecs; 0 when not registered
	Opcode        string   `json:"opcode"`         // NOP, READ, READ_FIXED, READV, URING_CMD; PREAD (aio), preadv2
}
