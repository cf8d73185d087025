package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

var mounts = []struct {
	source, target, kind string
	needed               bool
}{
	{"devtmpfs", "/dev", "devtmpfs", true},
	{"proc", "/proc", "proc", true},
	{"sysfs", "/sys", "sysfs", true},
	{"tmpfs", "/tmp", "tmpfs", true},
	{"tmpfs", "/run", "tmpfs", false},
	{"cgroup2", "/sys/fs/cgroup", "cgroup2", false},
	{"debugfs", "/sys/kernel/debug", "debugfs", false},
	{"tracefs", "/sys/kernel/tracing", "tracefs", false},
}

func mountAll() error {
	for _, m := range mounts {
		_ = os.MkdirAll(m.target, 0o755)
		err := unix.Mount(m.source, m.target, m.kind, 0, "")
		if err != nil && m.needed && err != unix.EBUSY {
			return fmt.Errorf("mount %s: %w", m.target, err)
		}
	}
	return nil
}

// prepare sets what programs expect of a machine. A kernel that lacks a setting is used as it is.
func prepare(note func(string, ...any)) {
	_ = os.Chmod("/tmp", 0o1777)
	_ = unix.Sethostname([]byte("lab"))
	if err := loopbackUp(); err != nil {
		note("loopback: %v", err)
	}
	for file, value := range map[string]string{
		"/proc/sys/kernel/hung_task_timeout_secs": "30", // the default waits longer than a job may run
		"/proc/sys/kernel/printk_devkmsg":         "on", // all of our marks, not some a second
		"/proc/sys/kernel/sysrq":                  "1",
	} {
		_ = os.WriteFile(file, []byte(value), 0)
	}
}

func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

func loadModules(modules []plan.Module, note func(string, ...any)) {
	for _, m := range modules {
		if err := loadModule(m); err != nil {
			note("module %s: %v", m.Name, err)
		}
	}
	// configfs may be a module, so its turn comes after.
	if err := unix.Mount("configfs", "/sys/kernel/config", "configfs", 0, ""); err != nil && err != unix.EBUSY {
		note("mount configfs: %v", err)
	}
}

func loadModule(m plan.Module) error {
	f, err := os.Open(m.File)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.FinitModule(int(f.Fd()), m.Params, 0); err != nil && err != unix.EEXIST {
		return fmt.Errorf("load: %w", err)
	}
	// Done with it; the file would stay in memory for as long as the guest runs.
	return os.Remove(m.File)
}

// mountScratch puts a file system on a disk in the place of the tmpfs on /tmp, which is good enough without.
func mountScratch(note func(string, ...any)) {
	node, err := findVirtio(plan.Scratch)
	if err == nil {
		// Left to itself the kernel writes the inode tables in the background, also when power goes off.
		err = unix.Mount("/dev/"+node, "/tmp", "ext4", 0, "noinit_itable")
	}
	if err != nil {
		note("/tmp is on tmpfs: %v", err)
		return
	}
	_ = os.Remove("/tmp/lost+found")
	_ = os.Chmod("/tmp", 0o1777)
}

// openLine opens a serial line: raw for events, as a terminal for a shell.
func openLine(path string, raw bool) (*os.File, error) {
	// Without O_NONBLOCK a write waits; Go would poll otherwise, and then the speed of the line is lost.
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("terminal settings of %s: %w", path, err)
	}
	t.Cflag = unix.CS8 | unix.CREAD | unix.CLOCAL | unix.B115200
	if raw {
		t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	}
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, t); err != nil {
		return nil, fmt.Errorf("terminal settings of %s: %w", path, err)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// shell runs busybox's shell on the line until it ends.
func shell(line *os.File, kernel string, note func(string, ...any)) {
	const busybox = "/bin/busybox"
	fmt.Fprintf(line, "\nThe lab's devices are in %s (\"/init table\" lists them). \"exit\" powers off.\n", plan.Dir)
	cmd := exec.Command(busybox, "sh", "-l")
	cmd.Args[0] = "busybox"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = line, line, line
	cmd.Dir = "/"
	cmd.Env = append(environment(kernel), "TERM="+term(), "PS1=lab:\\w# ")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Run(); err != nil {
		note("shell: %v", err)
	}
}

// The host passes its own kind of terminal on the kernel's command line.
func term() string {
	b, _ := os.ReadFile("/proc/cmdline")
	for _, f := range strings.Fields(string(b)) {
		if t, ok := strings.CutPrefix(f, "lab.term="); ok {
			return t
		}
	}
	return "vt100"
}

// environment is what every command of the guest gets.
func environment(kernel string) []string {
	return []string{"PATH=/bin:/", "HOME=/root", "TMPDIR=/tmp", "USER=root", "RINGPEAK_LAB=1", "RINGPEAK_LAB_KERNEL=" + kernel}
}
