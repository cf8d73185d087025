package main

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

// A killed process that is not gone by then hangs in the kernel; waiting longer would not help.
const grace = 10 * time.Second

// runJob runs one command and reports how it ended. It returns false when the guest is in no state to run more.
func runJob(n int, j plan.Job, kernel string, events *plan.Sender) bool {
	mark("begin %s", j.Name)
	_ = events.Send(plan.Event{Kind: plan.Begin, Job: n, Name: j.Name})
	cmd := exec.Command(j.Argv[0], j.Argv[1:]...)
	cmd.Dir = j.Dir
	cmd.Env = append(environment(kernel), j.Env...)
	cmd.Stdout = events.Output(plan.Stdout, n)
	cmd.Stderr = events.Output(plan.Stderr, n)
	// A group of its own, so that children that it leaves behind can be ended with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 2 * time.Second

	end := plan.Event{Kind: plan.End, Job: n, Name: j.Name}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		end.Status, end.Text = 127, err.Error()
		mark("end %s: %v", j.Name, err)
		_ = events.Send(end)
		return true
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	usable := true
	err, timedOut := wait(ended, j.Timeout, grace, func(sig unix.Signal) { _ = unix.Kill(-cmd.Process.Pid, sig) })
	end.TimedOut = timedOut
	end.Elapsed = time.Since(start)
	switch {
	case errors.Is(err, errStuck):
		end.Status, end.Text, usable = 137, err.Error(), false
	case cmd.ProcessState == nil:
		end.Status, end.Text = 1, fmt.Sprint(err)
	default:
		end.Status, end.Text = status(cmd.ProcessState.Sys().(syscall.WaitStatus))
	}
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	if usable {
		reap()
	}
	mark("end %s: status %d %s", j.Name, end.Status, end.Text)
	_ = events.Send(end)
	return usable
}

var errStuck = errors.New("it could not be killed: it hangs in the kernel")

// wait waits for the end. After the time-out the first signal is the one that makes a Go program show its stacks.
func wait(ended <-chan error, timeout, grace time.Duration, kill func(unix.Signal)) (err error, timedOut bool) {
	select {
	case err := <-ended:
		return err, false
	case <-time.After(timeout):
	}
	for _, sig := range []unix.Signal{unix.SIGQUIT, unix.SIGKILL} {
		kill(sig)
		select {
		case err := <-ended:
			return err, true
		case <-time.After(grace / 2):
		}
	}
	return errStuck, true
}

func status(ws syscall.WaitStatus) (int, string) {
	if ws.Signaled() {
		return 128 + int(ws.Signal()), strings.TrimSpace("signal: " + ws.Signal().String())
	}
	return ws.ExitStatus(), ""
}

// reap collects orphans, which are process 1's to collect. No child of our own is running at this point.
func reap() {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if pid <= 0 || err != nil {
			return
		}
	}
}
