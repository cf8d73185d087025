package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"ringpeak/build/lab/plan"
)

// lab is one kernel's lab, held until close: only one guest runs at a time, whoever starts it.
type lab struct {
	root    string // of the repository
	out     string // build/out/lab
	kernel  string // as the user named it
	dir     string // its folder below out
	release string // 6.12.118+deb13-cloud-amd64
	version string // of its package
	allowed []*regexp.Regexp
	lock    *os.File
	exact   bool // boot the guest in which time is instructions
	// How long a guest may take beyond the time of its jobs.
	bootLimit time.Duration

	stdout io.Writer
	stderr io.Writer
}

func newLab(ctx context.Context, kernel string, allowed []*regexp.Regexp, stdout, stderr io.Writer) (*lab, error) {
	if !slices.Contains(kernels, kernel) {
		return nil, fmt.Errorf("no such kernel: %s (there are %s)", kernel, strings.Join(kernels, ", "))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &lab{out: filepath.Dir(self), kernel: kernel, allowed: allowed, bootLimit: bootLimit, stdout: stdout, stderr: stderr}
	l.root = filepath.Dir(filepath.Dir(filepath.Dir(l.out)))
	if _, err := os.Stat(filepath.Join(l.root, "build/lab/kernel.sh")); err != nil {
		return nil, fmt.Errorf("lab must lie in build/out/lab of the repository, where make puts it: %w", err)
	}
	if _, err := exec.LookPath(qemu); err != nil {
		return nil, fmt.Errorf("%s is missing; its Debian package is in build/packages.txt: %w", qemu, err)
	}
	if err := os.MkdirAll(filepath.Join(l.out, "log"), 0o755); err != nil {
		return nil, err
	}
	if err := l.takeLock(ctx); err != nil {
		return nil, err
	}
	if err := l.fetch(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// takeLock waits for its turn. The lock goes with the process, however that ends.
func (l *lab) takeLock(ctx context.Context) error {
	f, err := os.OpenFile(filepath.Join(l.out, "lock"), os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	for waited := false; ; waited = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			l.lock = f
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return errors.Join(fmt.Errorf("lock %s: %w", f.Name(), err), f.Close())
		}
		if !waited {
			l.say("WAIT", "another lab is running")
		}
		select {
		case <-ctx.Done():
			return errors.Join(errors.New("interrupted"), f.Close())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// close may be called twice.
func (l *lab) close() {
	if l.lock != nil {
		_ = l.lock.Close()
		l.lock = nil
	}
}

// fetch gets the kernel if it is not there.
func (l *lab) fetch(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(l.root, "build/lab/kernel.sh"), l.kernel)
	cmd.Stdout, cmd.Stderr = l.stderr, l.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("get kernel %s: %w", l.kernel, err)
	}
	l.dir = filepath.Join(l.out, "kernels", l.kernel)
	release, err := os.ReadFile(filepath.Join(l.dir, "release"))
	if err != nil {
		return err
	}
	l.release = strings.TrimSpace(string(release))
	packages, err := os.ReadFile(filepath.Join(l.dir, "packages"))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(packages), " ")
	l.version, _, _ = strings.Cut(rest, "\n")
	return nil
}

// logFile is where the last run of this kernel leaves its kernel log and its output.
func (l *lab) logFile(ext string) string {
	return filepath.Join(l.out, "log", l.kernel+"."+ext)
}

func (l *lab) say(tag, format string, args ...any) {
	fmt.Fprintf(l.stderr, "  %-7s %s\n", tag, fmt.Sprintf(format, args...))
}

// bootTries is how often a guest is started whose kernel dies before anything
// of ours ran. Emulated on several threads, a kernel that patches its own code
// at boot is now and then caught between two halves of an instruction.
const bootTries = 3

// boot makes the initramfs from the plan and what fill adds to it, and runs the guest to its end.
func (l *lab) boot(ctx context.Context, p plan.Plan, fill func(*image) error, show show) (*outcome, error) {
	for try := 1; ; try++ {
		o, err := l.bootOnce(ctx, p, fill, show)
		if err != nil || p.Shell || o.booted > 0 || o.off || o.expired || try == bootTries {
			return o, err
		}
		l.say("AGAIN", "the kernel died while booting, before anything ran: %s", strings.Join(o.faults(), "; "))
	}
}

func (l *lab) bootOnce(ctx context.Context, p plan.Plan, fill func(*image) error, show show) (*outcome, error) {
	dir := filepath.Join(l.out, "run")
	// What an earlier run left that was killed; the lock says that nobody uses it.
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	p.Kernel, p.Devices = l.kernel, l.machine().devices
	initrd := filepath.Join(dir, "initrd")
	if err := l.build(initrd, p, fill); err != nil {
		return nil, fmt.Errorf("build the guest's initramfs: %w", err)
	}
	return l.start(ctx, dir, initrd, p, show)
}

func (l *lab) build(file string, p plan.Plan, fill func(*image) error) error {
	im, err := newImage(file)
	if err != nil {
		return err
	}
	err = im.base(filepath.Join(l.out, "init"))
	if err == nil {
		p.Modules, err = im.modules(filepath.Join(l.dir, "lib/modules", l.release))
	}
	if err == nil {
		err = im.config(filepath.Join(l.dir, "config"), l.release)
	}
	if err == nil && fill != nil {
		err = fill(im)
	}
	if err == nil {
		err = im.plan(p)
	}
	return errors.Join(err, im.close())
}
