package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ringpeak/build/lab/plan"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// run runs one job here, without a guest, and returns its last event and its output.
func run(t *testing.T, j plan.Job) (plan.Event, string) {
	t.Helper()
	var line bytes.Buffer
	if !runJob(7, j, "6.12", plan.NewSender(&line)) {
		t.Fatal("no more jobs could be run")
	}
	var events []plan.Event
	var out strings.Builder
	err := plan.Receive(&line, func(e plan.Event) {
		events = append(events, e)
		out.Write(e.Data)
		if e.Job != 7 {
			t.Errorf("%s is of job %d", e.Kind, e.Job)
		}
	}, func(s string) { t.Errorf("stray %q", s) })
	if err != nil || len(events) < 2 || events[0].Kind != plan.Begin || events[len(events)-1].Kind != plan.End {
		t.Fatalf("%v: %+v", err, events)
	}
	return events[len(events)-1], out.String()
}

func shellJob(script string) plan.Job {
	return plan.Job{Name: "t", Argv: []string{"/bin/sh", "-c", script}, Dir: "/", Timeout: time.Minute}
}

func TestJobStatus(t *testing.T) {
	for _, c := range []struct {
		script string
		status int
		text   string
	}{
		{"exit 0", 0, ""},
		{"exit 3", 3, ""},
		{"kill -SEGV $$", 139, "signal"},
	} {
		if e, _ := run(t, shellJob(c.script)); e.Status != c.status || !strings.Contains(e.Text, c.text) || e.TimedOut {
			t.Errorf("%s: %+v", c.script, e)
		}
	}
	j := shellJob("")
	j.Argv = []string{"/no/such/program"}
	if e, _ := run(t, j); e.Status != 127 || e.Text == "" {
		t.Errorf("a program that is not there: %+v", e)
	}
}

func TestJobOutputAndEnvironment(t *testing.T) {
	j := shellJob("echo $RINGPEAK_LAB $RINGPEAK_LAB_KERNEL $X; pwd; echo e >&2")
	j.Env, j.Dir = []string{"X=y"}, "/tmp"
	// The two outputs come on lines of their own; which is first is not said.
	_, out := run(t, j)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(lines)
	if diff := cmp.Diff([]string{"/tmp", "1 6.12 y", "e"}, lines); diff != "" {
		t.Error(diff)
	}
}

func TestJobTimesOut(t *testing.T) {
	j := shellJob("echo here; sleep 1000")
	j.Timeout = 300 * time.Millisecond
	e, out := run(t, j)
	if !e.TimedOut || e.Status != 131 || out != "here\n" {
		t.Errorf("%+v, %q", e, out)
	}
}

// A child that is left behind neither holds up the guest nor lives on into the next job.
func TestJobLeavesAChild(t *testing.T) {
	start := time.Now()
	_, out := run(t, shellJob("sleep 1000 & echo $!"))
	if time.Since(start) > 30*time.Second {
		t.Error("waited for the child")
	}
	pid := 0
	for _, c := range strings.TrimSpace(out) {
		pid = 10*pid + int(c-'0')
	}
	for range 100 {
		if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	// Whoever inherits it here may be slow to collect it; dead is what counts.
	if state := readString("/proc/" + strings.TrimSpace(out) + "/stat"); !strings.Contains(state, ") Z ") {
		t.Errorf("the child lives: %s", state)
	}
}

func TestStuckProcess(t *testing.T) {
	var got []unix.Signal
	err, timedOut := wait(make(chan error), time.Millisecond, time.Millisecond, func(s unix.Signal) { got = append(got, s) })
	if !errors.Is(err, errStuck) || !timedOut || len(got) != 2 || got[0] != unix.SIGQUIT || got[1] != unix.SIGKILL {
		t.Error(err, timedOut, got)
	}
}

func TestParseFormat(t *testing.T) {
	for _, c := range []struct {
		name  string
		flbas byte
		dps   byte
		index int
		ms    uint16
		ds    byte
		want  format
		text  string
	}{
		{"512", 0, 0, 0, 0, 9, format{512, 0, false, 0}, "-"},
		{"4096+8, protected", 0x03, 1, 3, 8, 12, format{4096, 8, false, 1}, "8 separate PI1"},
		{"512+8 interleaved", 0x11, 0, 1, 8, 9, format{512, 8, true, 0}, "8 interleaved"},
		{"all six bits of the index", 0x25, 0, 21, 64, 12, format{4096, 64, false, 0}, "64 separate"},
	} {
		data := make([]byte, 4096)
		data[26], data[29] = c.flbas, c.dps
		lbaf := data[128+4*c.index:]
		lbaf[0], lbaf[1], lbaf[2] = byte(c.ms), byte(c.ms>>8), c.ds
		if got := parseFormat(data); got != c.want || got.String() != c.text {
			t.Errorf("%s: %+v, %q", c.name, got, got)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	for _, args := range [][]string{nil, {"no-such-tool"}, {"kmsg"}} {
		if tool(args) == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}
