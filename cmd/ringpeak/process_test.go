package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is the program while it runs, with its output as it comes.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr bytes.Buffer
	lines  chan string // closed at the end of stdout
	seen   []string
}

// start starts the program.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	return begin(t, command(t, "ringpeak", args...))
}

// begin starts a command.
func begin(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, lines: make(chan string, 10000)}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() { // after a failure; otherwise it has ended
		if p.cmd.ProcessState == nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
	go func() {
		defer r.Close()
		defer close(p.lines)
		for scan := bufio.NewScanner(r); scan.Scan(); {
			p.lines <- scan.Text()
		}
	}()
	return p
}

// waitFor reads stdout up to a line that begins with prefix, which must come
// while the program runs.
func (p *process) waitFor(prefix string) {
	p.t.Helper()
	late := time.After(runLimit)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("stdout ended without a line %q:\n%s\n%s", prefix, strings.Join(p.seen, "\n"), p.stderr.String())
			}
			p.seen = append(p.seen, line)
			if strings.HasPrefix(line, prefix) {
				return
			}
		case <-late:
			p.t.Fatalf("no line %q in %v:\n%s", prefix, runLimit, strings.Join(p.seen, "\n"))
		}
	}
}

// signal sends signals that all are delivered at once.
func (p *process) signal(signals ...syscall.Signal) {
	p.t.Helper()
	all := append(append([]syscall.Signal{syscall.SIGSTOP}, signals...), syscall.SIGCONT)
	if len(signals) == 1 {
		all = signals
	}
	for _, s := range all {
		if err := p.cmd.Process.Signal(s); err != nil {
			p.t.Fatal(err)
		}
	}
}

// end waits for the program to exit.
func (p *process) end() outcome {
	p.t.Helper()
	from := time.Now()
	for line := range p.lines {
		p.seen = append(p.seen, line)
	}
	status := exitStatus(p.t, p.cmd.Wait())
	return outcome{status, strings.Join(p.seen, "\n") + "\n", p.stderr.String(), time.Since(from)}
}
