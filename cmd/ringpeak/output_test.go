package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLinesComeOneByOne: a line is there when its interval ends, and not when
// the run does.
func TestLinesComeOneByOne(t *testing.T) {
	needMeasure(t)
	begin := time.Now()
	p := start(t, "-N1", "-r2", "--interval", "200ms")
	p.waitFor("IOPS=")
	if d := time.Since(begin); d > 1500*time.Millisecond {
		t.Errorf("the first line came after %v of a run of 2s", d)
	}
	p.cmd.Process.Kill()
	for range p.lines { // nothing to see
	}
	p.cmd.Wait()
}

// TestReaderGoesAway: a pipe whose reader has left ends a run at once, with
// one sentence.
func TestReaderGoesAway(t *testing.T) {
	needMeasure(t)
	for _, args := range [][]string{
		{"-N1", "--interval", "50ms"},
		{"-N1", "--interval", "50ms", "--style", "fio-3.29"},
		{}, // the tour
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := command(t, "ringpeak", args...)
		cmd.Stdout = w
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		for scan := bufio.NewScanner(r); scan.Scan(); {
			if strings.HasPrefix(scan.Text(), "IOPS=") {
				break
			}
		}
		r.Close()
		begin := time.Now()
		status := exitStatus(t, cmd.Wait())
		if d := time.Since(begin); status != 1 || d > soon {
			t.Errorf("%q: status %d after %v, want 1", args, status, d)
		}
		oneComplaint(t, stderr.String(), "write results: ", "broken pipe")
	}
}

// TestFullDisk: what cannot be written is an error, whatever it is.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"--help", "--version", "-N1 -r0.1", "-N1 --json - -r0.1", ""} {
		if !strings.HasPrefix(args, "--") && cannotMeasure() != "" {
			continue
		}
		cmd := command(t, "ringpeak", strings.Fields(args)...)
		cmd.Stdout = full
		o := finish(t, cmd)
		if o.status != 1 || o.took > 3*soon {
			t.Errorf("ringpeak %s: status %d after %v, want 1", args, o.status, o.took)
		}
		if strings.Contains(args, "--json -") {
			if !strings.Contains(o.stderr, "\nringpeak: write result: ") {
				t.Errorf("stderr: %s", o.stderr)
			}
			continue // the text is on stderr too
		}
		oneComplaint(t, o.stderr, "no space left on device")
	}
}

// TestClosedDescriptors: a run does not touch stdin, and does without standard
// descriptors. Go opens /dev/null in their place, so nothing is lost but the text.
func TestClosedDescriptors(t *testing.T) {
	needMeasure(t)
	dir, _ := place(t)
	file := testFile(t, dir, "f", 1<<20)
	json := filepath.Join(dir, "a.json")
	for _, closed := range []string{"<&-", ">&- 2>&-", "<&- >&- 2>&-"} {
		cmd := command(t, "sh", "-c", `ringpeak -O0 -r0.1 --json "$1" "$0" `+closed, file, json)
		cmd.Path = "/bin/sh"
		if o := finish(t, cmd); o.status != 0 {
			t.Errorf("%s: status %d: %s", closed, o.status, o.stderr)
		}
		b, err := os.ReadFile(json)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := document(b); err != nil {
			t.Errorf("%s: %v", closed, err)
		}
	}
}
