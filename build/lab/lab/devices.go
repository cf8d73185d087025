package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"ringpeak/build/lab/plan"
)

// namespace is one NVMe namespace: how QEMU shall format it, and its name in the guest.
type namespace struct {
	name   string
	lba    int
	format string // further properties of QEMU's nvme-ns
	mib    int    // its size, 0 for diskMiB
	faulty bool   // reads of its sector badSector fail
}

// badSector, of 512 bytes, is behind all that the kernel reads by itself when it looks for partitions, and behind the
// largest read from the beginning.
const badSector = 1500

// controller is one NVMe controller; its serial number is how the guest tells it from the others. One with expander is
// behind a PCI expander bridge, which is how a machine says on which NUMA node a device is.
type controller struct {
	serial, properties string
	namespaces         []namespace
	expander           bool
}

// controllers of the guest. nvme.poll_queues=2 asks for poll queues on all of them; one that has a single pair of
// queues cannot give any, and so is the one without. pi= needs metadata of 8 bytes; mset=1 is interleaved.
var controllers = []controller{
	{serial: "poll", properties: "max_ioqpairs=8", namespaces: []namespace{
		{name: "nvme-poll", lba: 512},
		{name: "nvme-poll-4k", lba: 4096},
	}},
	{serial: "irq", properties: "max_ioqpairs=1", namespaces: []namespace{
		{name: "nvme-irq", lba: 512},
	}},
	{serial: "meta", properties: "max_ioqpairs=8", namespaces: []namespace{
		{name: "nvme-pi", lba: 4096, format: "ms=8,pi=1"},
		{name: "nvme-ms8", lba: 4096, format: "ms=8"},
		{name: "nvme-ms64", lba: 4096, format: "ms=64"},
		{name: "nvme-pi-inter", lba: 512, format: "ms=8,mset=1,pi=1"},
		{name: "nvme-ms8-inter", lba: 4096, format: "ms=8,mset=1"},
	}},
	// 2^2 pages of 4 KiB in one command.
	{serial: "mdts", properties: "max_ioqpairs=8,mdts=2", expander: true, namespaces: []namespace{
		{name: "nvme-mdts", lba: 512},
	}},
	// So small that a test writes and reads each of their blocks. With interleaved metadata QEMU takes a read apart by
	// LBA, and a host reads 1024 parts at once; mdts=5 (128 KiB) keeps within that.
	{serial: "small", properties: "max_ioqpairs=8,mdts=5", namespaces: []namespace{
		{name: "nvme-small", lba: 512, mib: 1},
		{name: "nvme-small-4k", lba: 4096, mib: 1},
		{name: "nvme-small-ms8", lba: 4096, format: "ms=8", mib: 1},
		{name: "nvme-small-pi", lba: 4096, format: "ms=8,pi=1", mib: 1},
		{name: "nvme-small-inter", lba: 512, format: "ms=8,mset=1", mib: 1},
		{name: "nvme-bad", lba: 512, mib: 1, faulty: true},
	}},
}

const diskMiB = 64 // of every disk, the one for /tmp included

// Two queues of each kind, because the guest has two CPUs. null_blk ignores completion_nsec on poll queues, and
// its irqmode is 0 (complete while submitting), 1 (softirq), or 2 (timer).
func null(name string, attrs ...string) plan.Device {
	return plan.Device{Name: name, Kind: "null", Attrs: append([]string{"queue_mode=2", "blocksize=512", "size=256", "submit_queues=2"}, attrs...)}
}

// badblocks makes an eighth of a null_blk of 256 MiB bad: 256 KiB of every 2 MiB, and none where partition tables are.
// Old kernels (5.10 and 6.1 tried) list a range of more than 512 sectors and do not find it again.
func badblocks() []string {
	var out []string
	for s := 2048; s < 256<<20/512; s += 4096 {
		out = append(out, fmt.Sprintf("badblocks=+%d-%d", s, s+511))
	}
	return out
}

// guestDevices are all devices as the guest makes or finds them, in the order of the table.
func guestDevices() []plan.Device {
	out := nvmeDevices(controllers)
	bad := null("null-bad", append([]string{"poll_queues=2", "irqmode=0"}, badblocks()...)...)
	bad.Faulty = true
	return append(
		out,
		plan.Device{Name: "virtio", Kind: "virtio", Serial: "virtio"},
		null("null-poll", "poll_queues=2", "irqmode=0", "hw_queue_depth=1024"),
		null("null-irq", "poll_queues=0", "irqmode=1", "hw_queue_depth=1024"),
		null("null-one", "poll_queues=0", "irqmode=0", "hw_queue_depth=1024", "submit_queues=1"),
		null("null-tags", "poll_queues=2", "irqmode=1", "hw_queue_depth=8"),
		null("null-timer", "poll_queues=2", "irqmode=2", "completion_nsec=1000000"),
		null("null-mem", "poll_queues=2", "irqmode=0", "memory_backed=1", "size=64"),
		bad,
		plan.Device{Name: "brd", Kind: "brd"},
		plan.Device{Name: "dm", Kind: "dm", Over: "nvme-poll", MiB: diskMiB / 2},
		plan.Device{Name: "loop", Kind: "loop", LBA: 4096, MiB: 32},
		plan.Device{Name: "zram", Kind: "zram", MiB: 32},
	)
}

func nvmeDevices(controllers []controller) []plan.Device {
	var out []plan.Device
	for _, c := range controllers {
		for i, n := range c.namespaces {
			out = append(out, plan.Device{Name: n.name, Kind: "nvme", Serial: c.serial, NSID: i + 1, Faulty: n.faulty})
		}
	}
	return out
}

// guestModules are loaded unless they are built in. Parameters for built-in ones are in kernelArgs.
var guestModules = []struct{ name, params string }{
	{"configfs", ""},
	// zram's compressor: older kernels would ask modprobe for it, newer ones have it inside zram.
	{"lzo-rle", ""},
	{"virtio_pci", ""},
	{"virtio_blk", "poll_queues=2"},
	{"nvme", "poll_queues=2"},
	{"null_blk", "nr_devices=0 queue_mode=2 submit_queues=2 poll_queues=2"},
	{"brd", "rd_nr=1 rd_size=65536"},
	{"dm-mod", ""},
	{"loop", "max_loop=8"},
	{"zram", "num_devices=1"},
}

// mayLack are modules that not every kernel has.
var mayLack = map[string]bool{"lzo-rle": true}

// panic=-1 restarts at once, which -no-reboot turns into an end. After an oops nothing that follows can be trusted.
const kernelArgs = "console=ttyS0,115200 loglevel=7 printk.devkmsg=on panic=-1 oops=panic nokaslr mitigations=off random.trust_cpu=on " +
	"nvme_core.multipath=N nvme.poll_queues=2 virtio_blk.poll_queues=2 rdinit=/init"

// machine is what QEMU emulates, and which devices the guest shall make or find there.
type machine struct {
	cpus        []string // QEMU's arguments
	kernelArgs  string
	controllers []controller
	devices     []plan.Device
	empty       bool // namespaces have no storage behind them: reads give zeroes at once
}

func (l *lab) machine() machine {
	if l.exact {
		return exactMachine()
	}
	return machine{
		cpus:       append([]string{"-accel", "tcg,thread=multi", "-cpu", "max"}, twoNodes()...),
		kernelArgs: kernelArgs + " numa_balancing=disable", controllers: controllers, devices: guestDevices(),
	}
}

// twoNodes are QEMU's arguments for two NUMA nodes with a CPU and half of the memory each. The CPUs are in sockets of
// their own, because the kernel warns of a cache that reaches over two nodes. Nodes numbered from 128 buses on have
// an expander bridge: what is behind it is near to the second one. Of the others the firmware says nothing.
func twoNodes() []string {
	args := []string{"-smp", "2,sockets=2"}
	for n := range 2 {
		args = append(args, "-object", fmt.Sprintf("memory-backend-ram,id=ram%d,size=%dM", n, memoryMiB/2),
			"-numa", fmt.Sprintf("node,nodeid=%d,cpus=%d,memdev=ram%d", n, n, n))
	}
	return append(args, "-device", "pxb,id="+expander+",bus_nr=128,numa_node=1")
}

const (
	memoryMiB = 1024    // of every guest
	rootBus   = "pci.0" // QEMU's own choice would be the expander's
	expander  = "node1"
)

// qemuDevices makes the disks in dir, sparse, and returns QEMU's arguments for them.
func qemuDevices(dir string, m machine) ([]string, error) {
	var args []string
	disk := func(name string, mib int, faulty bool) error {
		file := filepath.Join(dir, name+".img")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		if err := os.Truncate(file, int64(mib)<<20); err != nil {
			return err
		}
		// The disks go when the guest goes: no need to see them safe on the host's own.
		drive := fmt.Sprintf("if=none,id=%s,file=%s,format=raw,cache=unsafe,discard=unmap", name, file)
		if faulty {
			drive = fmt.Sprintf("if=none,id=%s,driver=blkdebug,image.driver=raw,image.file.driver=file,image.file.filename=%s,"+
				"inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5,inject-error.0.sector=%d", name, file, badSector)
		}
		args = append(args, "-drive", drive)
		return nil
	}
	for i, c := range m.controllers {
		bus := rootBus
		if c.expander {
			bus = expander
		}
		args = append(args, "-device", fmt.Sprintf("nvme,id=nv%d,bus=%s,serial=%s,%s", i, bus, c.serial, c.properties))
		for j, n := range c.namespaces {
			if m.empty {
				args = append(args, "-drive", fmt.Sprintf("if=none,id=%s,file=null-co://,file.size=%d,file.read-zeroes=on,format=raw", n.name, diskMiB<<20))
			} else if err := disk(n.name, cmp.Or(n.mib, diskMiB), n.faulty); err != nil {
				return nil, err
			}
			dev := fmt.Sprintf("nvme-ns,bus=nv%d,nsid=%d,drive=%s,logical_block_size=%d,physical_block_size=%d", i, j+1, n.name, n.lba, n.lba)
			if n.format != "" {
				dev += "," + n.format
			}
			args = append(args, "-device", dev)
		}
	}
	if err := disk("virtio", diskMiB, false); err != nil {
		return nil, err
	}
	// Physical blocks that are larger than its logical ones.
	args = append(args, "-device", "virtio-blk-pci,bus="+rootBus+",serial=virtio,drive=virtio,num-queues=4,physical_block_size=4096")
	if err := disk(plan.Scratch, diskMiB, false); err != nil {
		return nil, err
	}
	args = append(args, "-device", "virtio-blk-pci,bus="+rootBus+",serial="+plan.Scratch+",drive="+plan.Scratch)
	return args, mkfs(filepath.Join(dir, plan.Scratch+".img"))
}

// mkfs makes the file system for /tmp. It is ext4 because tests do direct I/O on files, and tmpfs has its own ideas
// of that: no direct I/O at all before 6.6, and no alignment since.
func mkfs(file string) error {
	cmd := exec.Command("mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-E", "lazy_itable_init=0", file)
	// Debian's users other than root have no sbin in their PATH.
	if cmd.Err != nil {
		cmd = exec.Command("/sbin/mkfs.ext4", cmd.Args[1:]...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make a file system for the guest's /tmp: %w: %s", err, out)
	}
	return nil
}
