package ab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/result"
)

// script makes an executable that says it is a ringpeak.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// program is a Program whose only arm is a script, and which believes any
// document.
func program(t *testing.T, text string) *Program {
	t.Helper()
	return &Program{
		Plan: result.ABPlan{SliceNS: 1}, Arms: []result.ABArm{{Name: "a", Binary: script(t, text)}},
		Read: func(in io.Reader, _ string) (*result.Result, error) {
			b, err := io.ReadAll(in)
			return &result.Result{Started: string(b)}, err
		},
		Grace: 20 * time.Second, Group: new(Group),
	}
}

// soon fails the test when f takes long.
func soon(t *testing.T, name string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(15 * time.Second):
		t.Fatalf("%s: no end", name)
	}
}

// mark is a time to sleep that tells the processes of these tests from others.
func mark(n int) string { return fmt.Sprintf("9%d%d", os.Getpid(), n) }

// gone waits until no process has a command line of exactly these words.
func gone(t *testing.T, words ...string) {
	t.Helper()
	line := strings.Join(words, "\x00") + "\x00"
	deadline := time.Now().Add(10 * time.Second)
	for {
		left := ""
		all, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range all {
			if text, err := os.ReadFile(file); err == nil && string(text) == line {
				left = file
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is left: %q", left, words)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestSliceEnds: whatever another binary does, a slice ends, soon, with one
// sentence, and nothing of it is left.
func TestSliceEnds(t *testing.T) {
	for name, c := range map[string]struct{ script, document, err string }{
		"good":       {"echo good >&3", "good\n", ""},
		"background": {"sleep " + mark(1) + " & echo good >&3", "good\n", ""},
		"background without stderr": {
			"sleep " + mark(1) + " 2>&- & echo good >&3", "good\n", "",
		},
		"endless document": {"exec cat /dev/zero >&3", "", "wrote more than 64 MiB as its result"},
		"no document":      {"", "", "wrote no result"},
		"words without end": {
			"head -c 10M /dev/zero | tr '\\0' x >&2; exit 7", "", "exit status 7 (xxxxxx",
		},
		"no words": {"exit 7", "", "exit status 7, and it said nothing"},
		"crash":    {"printf 'panic: oh\n\ngoroutine 1\n' >&2; exit 2", "", "exit status 2 (panic: oh)"},
		"a word":   {"echo 'ringpeak: note: no' >&2; echo 'ringpeak: no such device' >&2; exit 7", "", "no such device"},
	} {
		p := program(t, c.script)
		soon(t, name, func() {
			res, err := p.Slice(Job{}, nil)
			var e *result.Error
			switch {
			case c.err == "" && (err != nil || res.Started != c.document):
				t.Errorf("%s: %v, %v", name, res, err)
			case name == "crash" && errors.As(err, &e) && e.Status != result.StatusIO:
				t.Errorf("%s: status %d", name, e.Status)
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || len(err.Error()) > 300):
				t.Errorf("%s: %.1000v", name, err)
			}
		})
	}
	gone(t, "sleep", mark(1))
}

// TestSliceStops: a signal reaches the children of a shell, and who does not
// hear it is killed in the end.
func TestSliceStops(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	for name, c := range map[string]struct {
		script string
		err    error
	}{
		"child":    {"sh -c 'trap \"echo >" + told + "; exit\" TERM; while :; do sleep 0.05; done'; exit 0", ErrStopped},
		"deaf":     {"trap '' TERM; sleep " + mark(2), ErrStopped},
		"too long": {"trap '' TERM; sleep " + mark(2), errLate},
	} {
		p := program(t, c.script)
		if name != "child" {
			p.Grace = 300 * time.Millisecond
		}
		stop := make(chan string)
		if c.err == ErrStopped {
			time.AfterFunc(200*time.Millisecond, func() { close(stop) })
		}
		soon(t, name, func() {
			if _, err := p.Slice(Job{}, stop); err == nil || !strings.HasPrefix(err.Error(), c.err.Error()) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	gone(t, "sleep", mark(2))
	if _, err := os.Stat(told); err != nil {
		t.Errorf("the child of a shell was not told to stop: %v", err)
	}
}

// TestGroupKill: who leaves at once leaves neither a slice nor a switch behind,
// deaf as they may be.
func TestGroupKill(t *testing.T) {
	deaf := "trap '' TERM INT; sleep " + mark(3) + "; sleep " + mark(3)
	p := program(t, deaf)
	s := &Shell{Command: deaf, Undo: "true", Group: p.Group}
	for name, f := range map[string]func() error{
		"slice":  func() error { _, err := p.Slice(Job{}, nil); return err },
		"switch": func() error { return s.To("a", 1, nil) },
	} {
		*p.Group = Group{}
		time.AfterFunc(200*time.Millisecond, p.Group.Kill)
		soon(t, name, func() {
			if err := f(); err == nil || errors.Is(err, ErrStopped) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	if err := s.Restore(); err != nil {
		t.Error(err)
	}
	gone(t, "sleep", mark(3))
}

// TestSwitchUndone: when this process is gone, what a switch is still doing is
// ended before it is undone, so that it does not come after that.
func TestSwitchUndone(t *testing.T) {
	dir := t.TempDir()
	knob := filepath.Join(dir, "knob")
	s := &Shell{Undo: "echo before >" + knob}
	if err := s.guard(); err != nil {
		t.Fatal(err)
	}
	// As a switch would that a process started which is gone.
	cmd := exec.Command("/bin/sh", "-c", "trap '' TERM; sleep 0.3; (echo after >"+knob+")")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.goesOn(cmd.Process.Pid)
	if err := s.Restore(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
	if text, err := os.ReadFile(knob); string(text) != "before\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestSwitchWords: they fit in a sentence.
func TestSwitchWords(t *testing.T) {
	s := &Shell{Command: "head -c 10M /dev/zero | tr '\\0' x; exit 7", Undo: "true"}
	soon(t, "switch", func() {
		if err := s.To("a", 1, nil); err == nil || !strings.Contains(err.Error(), "exit status 7 (xxx") || len(err.Error()) > 400 {
			t.Errorf("%.1000v", err)
		}
	})
	if err := s.Restore(); err != nil {
		t.Error(err)
	}
}
