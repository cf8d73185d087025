package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLinesOfAKilledRun: SIGKILL leaves whole lines, all of those whose
// intervals were over.
func TestLinesOfAKilledRun(t *testing.T) {
	needMeasure(t)
	dir, _ := place(t)
	path := filepath.Join(dir, "a.jsonl")
	p := start(t, "-N1", "-n2", "--interval", "10ms", "--jsonl", path)
	for range 5 {
		p.waitFor("IOPS=")
	}
	p.cmd.Process.Kill()
	for range p.lines { // nothing to see
	}
	p.cmd.Wait()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := wholeLines(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 6 || lines[len(lines)-1]["type"] != "interval" {
		t.Errorf("%d lines, the last one is %v", len(lines), lines[len(lines)-1])
	}
}

// TestLinesOnAFullDisk fills a small file system while a run streams to it:
// the run goes on to its end, with status 1, one sentence, whole lines, the
// text and the document.
func TestLinesOnAFullDisk(t *testing.T) {
	needMeasure(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	dir, _ := place(t)
	disk := filepath.Join(dir, "small")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(disk, unix.MNT_DETACH) })
	path, json := filepath.Join(disk, "a.jsonl"), filepath.Join(dir, "a.json")
	// Leave room for the first line, and a few more.
	if err := os.WriteFile(filepath.Join(disk, "ballast"), bytes.Repeat([]byte{1}, 40<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	o := ringpeak(t, "-N1", "-r2", "-n2", "--interval", "10ms", "--jsonl", path, "--json", json)
	if o.status != 1 {
		t.Errorf("status %d, want 1", o.status)
	}
	oneComplaint(t, o.stderr, "write "+path+": no space left on device: its lines end with line ", "while the run went on")
	if !strings.Contains(o.stdout, "\nMaximum IOPS=") {
		t.Errorf("no summary:\n%s", o.stdout)
	}
	r := documentAt(t, json)
	if r.End.Reason != "time" || r.End.Status != 1 || !strings.Contains(r.End.Error, "no space left") {
		t.Errorf("end: %+v", r.End)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := wholeLines(string(b))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(lines); n < 2 || n > len(r.Intervals) || !strings.Contains(o.stderr, fmt.Sprintf("line %d,", n)) {
		t.Errorf("%d lines of %d intervals: %s", n, len(r.Intervals), o.stderr)
	}
}

// TestLinesNobodyReads: with --jsonl - the reader is who the run is for.
func TestLinesNobodyReads(t *testing.T) {
	needMeasure(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "ringpeak", "-N1", "--interval", "50ms", "--jsonl", "-")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := r.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	begin := time.Now()
	if status := exitStatus(t, cmd.Wait()); status != 1 || time.Since(begin) > soon {
		t.Errorf("status %d after %v, want 1", status, time.Since(begin))
	}
}

// TestLinesEndOnSignal: a run that is stopped still has its last line.
func TestLinesEndOnSignal(t *testing.T) {
	needMeasure(t)
	dir, _ := place(t)
	path := filepath.Join(dir, "a.jsonl")
	p := start(t, "-N1", "--interval", "50ms", "--jsonl", path)
	p.waitFor("IOPS=")
	p.waitFor("IOPS=")
	p.signal(syscall.SIGINT)
	if o := p.end(); o.status != 0 {
		t.Errorf("status %d: %s", o.status, o.stderr)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := wholeLines(string(b))
	if err != nil || lines[len(lines)-1]["type"] != "end" {
		t.Errorf("%v, %d lines", err, len(lines))
	}
}
