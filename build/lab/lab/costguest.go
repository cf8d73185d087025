package main

import (
	"strings"

	"ringpeak/build/lab/plan"
)

// exactMachine has one CPU whose clock is the count of the instructions that it executed: one each nanosecond.
// sleep=off lets an idle guest's clock jump to its next timer, which is why nothing that waits can be measured here.
func exactMachine() machine {
	// Nobody takes more poll queues than there are CPUs: nvme refuses the number and makes none.
	args := strings.NewReplacer("nvme.poll_queues=2", "nvme.poll_queues=1", "virtio_blk.poll_queues=2", "virtio_blk.poll_queues=1").Replace(kernelArgs)
	m := machine{
		// A string instruction counts once for each turn. With these two features the kernel copies byte by byte,
		// which a real CPU does in one go; without, by words, which comes nearer to it.
		cpus: []string{"-accel", "tcg,thread=single", "-smp", "1", "-icount", "shift=0,sleep=off", "-cpu", "max,-erms,-fsrm"},
		// Where a process lies in memory changes how many instructions it takes. Any clock but the TSC is a device.
		kernelArgs: args + " norandmaps tsc=reliable clocksource=tsc",
		// QEMU serves NVMe in a thread of its own, in the host's time. Both of these make it quick.
		controllers: []controller{{
			serial: "poll", properties: "max_ioqpairs=2,ioeventfd=off", namespaces: []namespace{{name: "nvme-poll", lba: 512}},
		}},
		empty: true,
	}
	// One queue, because there is one CPU. irqmode=0 completes while submitting: no softirq, no timer, so nothing
	// depends on when they come.
	null := func(name, poll string) plan.Device {
		return plan.Device{Name: name, Kind: "null", Attrs: []string{
			"queue_mode=2", "blocksize=512", "size=256", "submit_queues=1", "poll_queues=" + poll, "irqmode=0", "hw_queue_depth=1024",
		}}
	}
	m.devices = append(nvmeDevices(m.controllers), null("null-poll", "1"), null("null-irq", "0"))
	return m
}
