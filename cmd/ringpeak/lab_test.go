package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// Tests with Lab in their names run in the lab only (build/lab): they read its
// devices in /dev/lab.

// lab skips outside the lab, and returns its kernel: 612 is 6.12.
func lab(t *testing.T) int {
	t.Helper()
	if os.Getenv("RINGPEAK_LAB") == "" {
		t.Skip("only in the lab: RINGPEAK_LAB is not set")
	}
	needMeasure(t)
	var major, minor int
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := fmt.Sscanf(string(b), "%d.%d", &major, &minor); n != 2 {
		t.Fatalf("kernel release %q", b)
	}
	return 100*major + minor
}

// labFrom is lab for what a kernel must be new enough for.
func labFrom(t *testing.T, first int, what string) int {
	t.Helper()
	k := lab(t)
	if k < first {
		t.Skipf("%s: from Linux %d.%d on", what, first/100, first%100)
	}
	return k
}

// labArgs splits a command line; names of the lab's devices stand for their
// paths. There is a ceiling only where --no-ceiling=0 asks for it: it would
// take as long as the runs.
func labArgs(line string) []string {
	args := strings.Fields(line)
	if !strings.Contains(line, "--no-ceiling") {
		args = append(args, "--no-ceiling")
	}
	for i, a := range args {
		if _, err := os.Lstat("/dev/lab/" + a); err == nil {
			args[i] = "/dev/lab/" + a
		}
	}
	return args
}

// labRun runs a command line and reads its result; nil without one.
func labRun(t *testing.T, line string) (outcome, *result.Result) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.json")
	o := ringpeak(t, append(labArgs(line), "--json", file)...)
	if !exists(file) {
		return o, nil
	}
	return o, readResult(t, file)
}

func readResult(t *testing.T, file string) *result.Result {
	t.Helper()
	r := new(result.Result)
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		t.Error(err)
	}
	return r
}

// labGood runs a command line that must measure without errors, and whose
// result must hold every invariant.
func labGood(t *testing.T, line string) *result.Result {
	t.Helper()
	o, r := labRun(t, line)
	if o.status != 0 || r == nil {
		t.Errorf("%s: status %d: %s", line, o.status, o.stderr)
		return new(result.Result)
	}
	if list := complaints(o.stderr); len(list) > 0 {
		t.Errorf("%s: stderr: %q", line, list)
	}
	if b, err := json.Marshal(r); err != nil {
		t.Error(err)
	} else if _, err := document(b); err != nil {
		t.Errorf("%s: %v", line, err)
	}
	return r
}

// labRefused runs a command line that must be refused before it measures, in
// one sentence with all parts, and returns what was said.
func labRefused(t *testing.T, status int, line string, parts ...string) string {
	t.Helper()
	o, r := labRun(t, line)
	if o.status != status || r != nil && len(r.Intervals) > 0 {
		t.Errorf("%s: status %d, want %d, %s", line, o.status, status, o.stderr)
	}
	list := complaints(o.stderr)
	if len(list) != 1 {
		t.Errorf("%s: not one line on stderr: %q", line, list)
	}
	for _, p := range parts {
		if !strings.Contains(o.stderr, p) {
			t.Errorf("%s: stderr lacks %q: %s", line, p, o.stderr)
		}
	}
	t.Logf("%s: %s", line, strings.TrimSpace(o.stderr))
	return o.stderr
}

// noteOf is the text of a note, "" without it.
func noteOf(r *result.Result, code string) string {
	for _, n := range r.Notes {
		if n.Code == code {
			return n.Text
		}
	}
	return ""
}

func checkOf(r *result.Result, code string) result.Check {
	for _, c := range r.Checks {
		if c.Code == code {
			return c
		}
	}
	return result.Check{}
}

// wantNote: the note is there, and has all parts.
func wantNote(t *testing.T, r *result.Result, code string, parts ...string) {
	t.Helper()
	text := noteOf(r, code)
	for _, p := range parts {
		if text == "" || !strings.Contains(text, p) {
			t.Errorf("note %s lacks %q: %q of %v", code, p, text, r.Notes)
		}
	}
}

func wantCheck(t *testing.T, r *result.Result, code string, states ...result.CheckState) {
	t.Helper()
	c := checkOf(r, code)
	if !slices.Contains(states, c.State) {
		t.Errorf("check %s is %q, not one of %q: %s", code, c.State, states, c.Text)
	}
	t.Logf("check %s: %s: %s", code, c.State, c.Text)
}

// A short run of the emulated machine still makes thousands of reads.
const labShort = " -r0.2 "
