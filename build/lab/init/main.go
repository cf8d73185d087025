// Command init is the first and only program of the lab's guest that does not come from the host's job: it mounts,
// loads modules, makes devices, runs the commands of the plan one after another, says over a serial line how they
// ended, and powers off. It is static and needs neither a shell nor a library. It imports build/lab/plan and x/sys.
//
// Run as a command inside the guest it has small tools for jobs: "table" prints the devices, "spin N" how long an
// instruction takes, "kmsg TEXT" and "sysrq C" are there to show that the lab notices a kernel that complains or dies.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

func main() {
	if os.Getpid() == 1 {
		boot()
		return
	}
	if err := tool(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "init:", err)
		os.Exit(1)
	}
}

func tool(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "table":
		p, err := readPlan()
		if err != nil {
			return err
		}
		return printTable(os.Stdout, p)
	case len(args) == 2 && args[0] == "kmsg":
		return os.WriteFile("/dev/kmsg", []byte(args[1]+"\n"), 0)
	case len(args) == 2 && args[0] == "sysrq":
		return os.WriteFile("/proc/sysrq-trigger", []byte(args[1]), 0)
	case len(args) == 2 && args[0] == "spin":
		return calibrate(args[1])
	case len(args) == 2 && args[0] == "sleep":
		d, err := time.ParseDuration(args[1])
		time.Sleep(d)
		return err
	}
	return fmt.Errorf("not a tool of the lab's guest: %s", strings.Join(args, " "))
}

func readPlan() (*plan.Plan, error) {
	b, err := os.ReadFile(plan.Path)
	if err != nil {
		return nil, err
	}
	p := new(plan.Plan)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("parse %s: %w", plan.Path, err)
	}
	return p, nil
}

// mark writes into the kernel log, so that one can see what ran when the kernel complained.
func mark(format string, args ...any) {
	if os.Getpid() != 1 { // a unit test, on somebody's machine
		return
	}
	line := fmt.Sprintf(plan.Mark+format, args...)
	_ = os.WriteFile("/dev/kmsg", []byte(strings.ReplaceAll(line, "\n", " ")+"\n"), 0)
}

// boot never returns: the end of process 1 would be a kernel panic.
func boot() {
	defer powerOff()
	defer func() {
		if r := recover(); r != nil {
			mark("init failed: %v", r)
		}
	}()
	if err := mountAll(); err != nil {
		mark("init failed: %v", err)
		return
	}
	p, err := readPlan()
	if err != nil {
		mark("init failed: %v", err)
		return
	}
	line, err := openLine("/dev/ttyS1", !p.Shell)
	if err != nil {
		mark("init failed: %v", err)
		return
	}
	events := plan.NewSender(line)
	note := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		mark("%s", text)
		if !p.Shell {
			_ = events.Send(plan.Event{Kind: plan.Note, Text: text})
		}
	}
	prepare(note)
	loadModules(p.Modules, note)
	mountScratch(note)
	for _, d := range makeDevices(p, note) {
		if !p.Shell {
			_ = events.Send(plan.Event{Kind: plan.Made, Name: d.name, Node: d.node})
		}
	}
	if p.Shell {
		shell(line, p.Kernel, note)
		return
	}
	for i, j := range p.Jobs {
		if !runJob(i, j, p.Kernel, events) {
			break
		}
	}
	_ = events.Send(plan.Event{Kind: plan.Off})
	// What is written to a serial line is not yet sent, and power goes off at once.
	_ = unix.IoctlSetInt(int(line.Fd()), unix.TCSBRK, 1)
}

// Nothing may write to a disk when its driver is gone: that would look like a fault of the disk.
func powerOff() {
	mark("power off")
	_ = unix.Kill(-1, unix.SIGKILL)
	reap()
	unix.Sync()
	if err := unix.Unmount("/tmp", 0); err != nil {
		_ = unix.Mount("", "/tmp", "", unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	_ = unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	for {
		time.Sleep(time.Hour)
	}
}

type made struct{ name, node string }

// makeDevices makes all it can; what it cannot is said, and is missing below /dev/lab.
func makeDevices(p *plan.Plan, note func(string, ...any)) []made {
	var out []made
	waitForNVMe(p.Devices)
	for _, d := range p.Devices {
		node, err := makeDevice(d, note)
		if err != nil {
			note("device %s: %v", d.Name, err)
			continue
		}
		for link, target := range names(d, node) {
			if err := symlink(target, link); err != nil {
				note("device %s: %v", d.Name, err)
			}
		}
		out = append(out, made{d.Name, node})
	}
	return out
}

func symlink(target, link string) error {
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return err
	}
	return os.Symlink(target, link)
}

// names are the links for a device; the character twin of a namespace has one of its own.
func names(d plan.Device, node string) map[string]string {
	m := map[string]string{plan.Dir + d.Name: "/dev/" + node}
	if rest, ok := strings.CutPrefix(node, "nvme"); ok {
		if _, err := os.Stat("/dev/ng" + rest); err == nil {
			m[plan.Dir+d.Name+"-char"] = "/dev/ng" + rest
		}
	}
	return m
}
