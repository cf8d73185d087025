package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ringpeak/build/lab/klog"
	"ringpeak/build/lab/plan"
)

const qemu = "qemu-system-x86_64"

// bootLimit is for booting and for powering off, which take 5 to 10 seconds when the host has little else to do.
const bootLimit = 90 * time.Second

// show is called for each event as it comes.
type show func(plan.Event)

// outcome is how a guest's run went.
type outcome struct {
	ends     map[int]plan.Event // by job
	off      bool               // the guest came to the end of its plan
	expired  bool               // it was stopped because it took too long
	findings []klog.Finding
	log      string // where the kernel log is
	elapsed  time.Duration
	booted   time.Duration // until the first job began
	stderr   string        // QEMU's own
}

// start runs QEMU until the guest is off. The first serial line takes the kernel log, because what the kernel says
// when it dies gets out no other way; the second takes events, or is the terminal of the shell.
func (l *lab) start(ctx context.Context, dir, initrd string, p plan.Plan, show show) (*outcome, error) {
	o := &outcome{ends: map[int]plan.Event{}, log: l.logFile("log")}
	if err := os.Remove(o.log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	m := l.machine()
	devices, err := qemuDevices(dir, m)
	if err != nil {
		return nil, fmt.Errorf("make the guest's disks: %w", err)
	}
	limit := l.bootLimit
	for _, j := range p.Jobs {
		limit += j.Timeout
	}
	if !p.Shell {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	args := append(append([]string{}, m.cpus...), "-m", strconv.Itoa(memoryMiB),
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-kernel", filepath.Join(l.dir, "vmlinuz"), "-initrd", initrd, "-append", m.kernelArgs+" lab.term="+os.Getenv("TERM"),
		"-serial", "file:"+o.log, "-chardev", "stdio,id=line,signal=off", "-serial", "chardev:line")
	args = append(args, devices...)

	cmd := exec.CommandContext(ctx, qemu, args...)
	// Not in our group: Ctrl-C is the shell's, and otherwise we end it ourselves. It must not outlive us.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: !p.Shell}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if p.Shell {
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		err = cmd.Run()
		o.off = true
	} else {
		err = l.follow(cmd, began, o, show)
	}
	o.elapsed = time.Since(began)
	o.stderr = strings.TrimSpace(stderr.String())
	o.expired = errors.Is(ctx.Err(), context.DeadlineExceeded)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, errors.New("interrupted")
	case err != nil && !o.expired:
		return nil, fmt.Errorf("run %s: %w: %s", qemu, err, o.stderr)
	}
	return o, nil
}

// follow starts QEMU and takes the guest's events until both are at their end.
func (l *lab) follow(cmd *exec.Cmd, began time.Time, o *outcome, show show) error {
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	allowed := append([]*regexp.Regexp(nil), l.allowed...)
	faulty := map[string]bool{}
	for _, d := range l.machine().devices {
		faulty[d.Name] = d.Faulty
	}
	handle := func(e plan.Event) {
		switch e.Kind {
		case plan.Made:
			if faulty[e.Name] {
				allowed = append(allowed, regexp.MustCompile(`error(,| on) dev `+regexp.QuoteMeta(e.Node)+`,`))
			}
		case plan.Begin:
			if o.booted == 0 {
				o.booted = time.Since(began)
			}
		case plan.End:
			o.ends[e.Job] = e
		case plan.Off:
			o.off = true
		}
		show(e)
	}
	received := plan.Receive(pipe, handle, func(s string) { fmt.Fprintf(l.stderr, "lab: stray line from the guest: %q\n", s) })
	// Whatever ended the line, no guest must stay behind.
	if received != nil {
		_ = cmd.Process.Kill()
	}
	if err := errors.Join(received, cmd.Wait()); err != nil {
		return err
	}
	return o.judge(allowed)
}

func (o *outcome) judge(allowed []*regexp.Regexp) error {
	f, err := os.Open(o.log)
	if err != nil {
		return fmt.Errorf("the guest wrote no kernel log: %w", err)
	}
	defer f.Close()
	o.findings, err = klog.Scan(f, allowed)
	return err
}

// faults lists what is wrong with the run as such, apart from the status of its commands.
func (o *outcome) faults() []string {
	var out []string
	switch {
	case o.expired:
		out = append(out, fmt.Sprintf("the guest did not power off within %.0f s and was stopped", o.elapsed.Seconds()))
	case !o.off:
		out = append(out, "the guest ended before it had run everything")
	}
	const most = 20
	for i, f := range o.findings {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(o.findings)-most))
			break
		}
		during := "while booting"
		if f.After != "" {
			during = "after \"" + f.After + "\""
		}
		out = append(out, fmt.Sprintf("kernel log line %d, %s, %s: %s", f.Line, f.Rule, during, f.Text))
	}
	return out
}
