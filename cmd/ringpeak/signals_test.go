package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// soon is what a person who has pressed Ctrl-C waits for. Draining takes no
// time here, the rest is for a busy machine.
const soon = 3 * time.Second

// TestSignalEndsRun: the first signal ends a run normally, limited or not.
func TestSignalEndsRun(t *testing.T) {
	needMeasure(t)
	dir, _ := place(t)
	file := testFile(t, dir, "f", 1<<20)
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		end    string
		args   []string
	}{
		{"INT, unlimited", syscall.SIGINT, "Exiting on signal (INT)", []string{"-N1"}},
		{"TERM, unlimited", syscall.SIGTERM, "Exiting on signal (TERM)", []string{"-N1", "-n2", "-t1"}},
		{"HUP, unlimited", syscall.SIGHUP, "Exiting on signal (HUP)", []string{"-N1"}},
		{"INT, before its time", syscall.SIGINT, "Exiting on signal (INT)", []string{"-r60", "-O0", file}},
		{"TERM, aio", syscall.SIGTERM, "Exiting on signal (TERM)", []string{"-r60", "-O0", "-a1", file}},
		{"INT, preadv2", syscall.SIGINT, "Exiting on signal (INT)", []string{"-O0", "-S1", file}},
		{"INT, sqpoll", syscall.SIGINT, "Exiting on signal (INT)", []string{"-O0", "--sqpoll", "--sqpoll-idle", "1", file}},
		{"INT, old style", syscall.SIGINT, "Exiting on signal", []string{"-N1", "--style", "fio-3.33"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			json := filepath.Join(dir, "a.json")
			p := start(t, append(c.args, "--interval", "100ms", "--json", json)...)
			p.waitFor("IOPS=")
			p.waitFor("IOPS=") // a busy machine may give the first interval no CPU
			p.waitFor("IOPS=")
			p.signal(c.signal)
			o := p.end()
			if o.status != 0 || o.took > soon {
				t.Errorf("status %d after %v", o.status, o.took)
			}
			if list := complaints(o.stderr); len(list) > 0 {
				t.Errorf("stderr: %q", list)
			}
			for _, want := range []string{"\n" + c.end + "\n", "\nMaximum IOPS="} {
				if strings.Count(o.stdout, want) != 1 {
					t.Errorf("stdout has not one %q:\n%s", want, o.stdout)
				}
			}
			r := documentAt(t, json)
			if r.End.Reason != "signal" || !r.End.Drained {
				t.Errorf("end: %+v", r.End)
			}
		})
	}
}

// TestSecondSignal leaves at once, with what a shell expects. Nobody reads the
// output, so that the first signal finds the summary unprinted.
func TestSecondSignal(t *testing.T) {
	needMeasure(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4096); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := command(t, "ringpeak", "-N1", "--interval", "10ms", "--style", "fio-3.42") // which has a line for each
	cmd.Stdout, cmd.Stderr = w, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	time.Sleep(2 * time.Second) // 100 lines fill the pipe
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Errorf("it was gone before its second signal: %v", err)
		}
		time.Sleep(500 * time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("status %d, want 130", got)
	}
	oneComplaint(t, stderr.String(), "leaving at once")
}

// TestSignalInARepeat: Ctrl-C in the third of five reports what there is.
func TestSignalInARepeat(t *testing.T) {
	needMeasure(t)
	dir, _ := place(t)
	json := filepath.Join(dir, "a.json")
	p := start(t, "-N1", "-r1", "--repeat", "5", "--warmup", "200ms", "--json", json)
	p.waitFor("repeat 2/5: IOPS=")
	time.Sleep(700 * time.Millisecond)
	p.signal(syscall.SIGINT)
	o := p.end()
	if o.status != 0 || o.took > 2*time.Second+4*soon || !strings.Contains(o.stdout, "\nExiting on signal (INT)\n") {
		t.Errorf("status %d after %v:\n%s%s", o.status, o.took, o.stdout, o.stderr)
	}
	r := documentAt(t, json)
	if n := len(r.Repeats); n < 2 || n > 3 || r.Summary.Repeats.Complete != 2 || r.End.Reason != "signal" {
		t.Errorf("%d repeats, %+v", n, r.End)
	}
}

// TestSignalTwiceAtOnce is one signal: timeout(1) sends it to the process and
// to its group.
func TestSignalTwiceAtOnce(t *testing.T) {
	needMeasure(t)
	p := start(t, "-N1", "--interval", "100ms")
	p.waitFor("IOPS=")
	p.signal(syscall.SIGINT, syscall.SIGINT)
	if o := p.end(); o.status != 0 || !strings.Contains(o.stdout, "Maximum IOPS=") {
		t.Errorf("status %d, %s", o.status, o.stdout)
	}
}

// TestQuit: Ctrl-\ leaves at once and without a dump of goroutines.
func TestQuit(t *testing.T) {
	needMeasure(t)
	p := start(t, "-N1", "--interval", "100ms")
	p.waitFor("IOPS=")
	p.signal(syscall.SIGQUIT)
	o := p.end()
	if o.status != 130 || o.took > soon {
		t.Errorf("status %d after %v, want 130", o.status, o.took)
	}
	oneComplaint(t, o.stderr, "leaving at once")
}

// TestSignalBeforeStart: Ctrl-C in the first moments ends the program as well,
// measured or not.
func TestSignalBeforeStart(t *testing.T) {
	needMeasure(t)
	p := start(t, "-N1", "-n16", "-d256")
	p.waitFor("ringpeak ")
	p.signal(syscall.SIGINT)
	if o := p.end(); o.status > 1 || o.took > soon {
		t.Errorf("status %d after %v:\n%s%s", o.status, o.took, o.stdout, o.stderr)
	}
}

// TestTourStops: Ctrl-C during the first half of the tour ends all of it.
func TestTourStops(t *testing.T) {
	needMeasure(t)
	p := start(t)
	p.waitFor("IOPS=")
	p.signal(syscall.SIGINT)
	o := p.end()
	if o.status != 0 || o.took > soon || strings.Contains(o.stdout, "2 of 2") {
		t.Errorf("status %d after %v:\n%s%s", o.status, o.took, o.stdout, o.stderr)
	}
}
