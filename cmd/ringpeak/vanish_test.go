package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// TestTargetShrinks takes the data away from under a run: all of it, which
// ends the run, or half, which leaves something to measure.
func TestTargetShrinks(t *testing.T) {
	needMeasure(t)
	const size = 8 << 20
	for _, c := range []struct {
		name   string
		left   int64
		loop   bool // read through a loop device
		args   []string
		errno  string
		reason string
	}{
		{"file to nothing", 0, false, nil, "short read", "error"},
		{"file to half", size / 2, false, []string{"-r1"}, "short read", "time"},
		{"file to nothing, aio", 0, false, []string{"-a1"}, "short read", "error"},
		{"file to nothing, preadv2", 0, false, []string{"-S1"}, "short read", "error"},
		{"device to nothing", 0, true, nil, "EIO", "error"},
		{"device to half", size / 2, true, []string{"-r1"}, "EIO", "time"},
		{"device to nothing, preadv2", 0, true, []string{"-S1"}, "EIO", "error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, _ := place(t)
			file := testFile(t, dir, "f", size)
			target, json := file, filepath.Join(dir, "a.json")
			direct := "-O0"
			if c.loop {
				target = attachLoop(t, file)
				direct = "-O1" // or the page cache would go on serving it
			}
			p := start(t, append(c.args, direct, "-p0", "--interval", "100ms", "--json", json, target)...)
			p.waitFor("IOPS=")
			if err := os.Truncate(file, c.left); err != nil {
				t.Fatal(err)
			}
			o := p.end()
			if o.status != result.StatusIO || o.took > 2*soon {
				t.Errorf("status %d after %v, want 1:\n%s%s", o.status, o.took, o.stdout, o.stderr)
			}
			oneComplaint(t, o.stderr, target)
			for _, want := range []string{", errors=", " x " + c.errno, " on " + target, "Maximum IOPS="} {
				if !strings.Contains(o.stdout, want) {
					t.Errorf("stdout lacks %q:\n%s", want, o.stdout)
				}
			}
			r := documentAt(t, json)
			if r.End.Reason != c.reason || !r.End.Drained || r.End.Status != result.StatusIO {
				t.Errorf("end: %+v, want %s", r.End, c.reason)
			}
			if len(r.Errors) != 1 || r.Errors[0].Name != c.errno || r.Errors[0].Target != target {
				t.Errorf("errors: %+v", r.Errors)
			}
		})
	}
}

// TestEveryTargetIsRead, however submitters and targets are shared out: when
// all targets lose their data, all of them are among the errors.
func TestEveryTargetIsRead(t *testing.T) {
	needMeasure(t)
	for _, args := range []string{
		"-n1", "-n2", "-n3 -R0", "-n7", "-n1 -d1", "-n2 -d3 -s5 -c5", "-n1 -a1 -d7", "-n2 -S1", "-n1 --sqpoll", "-n1 -F0 -B0 -s1",
	} {
		dir, _ := place(t)
		var files []string
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			files = append(files, testFile(t, dir, name, 1<<20))
		}
		json := filepath.Join(dir, "a.json")
		run := append(strings.Fields(args), "-O0", "-r10", "--interval=100ms", "--json", json)
		p := start(t, append(run, files...)...)
		p.waitFor("IOPS=")
		for _, f := range files {
			if err := os.Truncate(f, 0); err != nil {
				t.Fatal(err)
			}
		}
		p.end()
		b, err := os.ReadFile(json)
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		r, err := document(b)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		failed := map[string]bool{}
		for _, e := range r.Errors {
			failed[e.Target] = true
		}
		for _, f := range files {
			if !failed[f] {
				t.Errorf("%s: nobody reads %s: %+v", args, filepath.Base(f), r.Errors)
			}
		}
	}
}

// TestOneOfTwoShrinks: errors name the target that has them, and the other one
// is still measured.
func TestOneOfTwoShrinks(t *testing.T) {
	needMeasure(t)
	dir, _ := place(t)
	good, bad := testFile(t, dir, "good", 1<<20), testFile(t, dir, "bad", 1<<20)
	p := start(t, "-O0", "-r0.6", "-n2", "--interval", "100ms", good, bad)
	p.waitFor("IOPS=")
	if err := os.Truncate(bad, 0); err != nil {
		t.Fatal(err)
	}
	o := p.end()
	if o.status != result.StatusIO {
		t.Errorf("status %d, want 1", o.status)
	}
	oneComplaint(t, o.stderr, bad)
	if strings.Contains(o.stdout, " on "+good) || !strings.Contains(o.stdout, " x short read on "+bad) {
		t.Errorf("errors:\n%s", o.stdout)
	}
}
