package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ringpeak/build/lab/plan"

	"github.com/google/go-cmp/cmp"
)

// fakeQEMU puts a script in QEMU's place; $log is the file for the kernel log, stdout the line for events.
func fakeQEMU(t *testing.T, script string) *lab {
	t.Helper()
	bin := t.TempDir()
	head := `#!/bin/sh
for a; do case $a in file:*) log=${a#file:} ;; esac; done
echo '[    1.0] Linux' >"$log"
`
	if err := os.WriteFile(filepath.Join(bin, qemu), []byte(head+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	l := &lab{out: t.TempDir(), kernel: "6.12", bootLimit: 20 * time.Second, stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	if err := os.Mkdir(filepath.Join(l.out, "log"), 0o755); err != nil {
		t.Fatal(err)
	}
	return l
}

const (
	passes = `echo '{"Kind":"begin","Name":"j"}'; echo '{"Kind":"stdout","Data":"aGVsbG8K"}'; echo '{"Kind":"end","Name":"j"}'; echo '{"Kind":"off"}'
`
	oops = `echo '[    2.0] lab: begin j
[    2.1] BUG: kernel NULL pointer dereference, address: 0' >>"$log"
`
	ioError = `echo '{"Kind":"made","Name":"null-bad","Node":"nullb5"}'; echo '[ 2.1] I/O error, dev nullb5, sector 2048' >>"$log"
`
)

// Each fault alone makes a run fail; one that a device is made for, or that the user allows, does not.
func TestVerdict(t *testing.T) {
	if _, err := os.Stat("/sbin/mkfs.ext4"); err != nil {
		t.Skip("mkfs.ext4 is not installed, and every guest needs it")
	}
	for _, c := range []struct {
		name, script, allow string
		status              int
		said                string
	}{
		{"passes", passes, "", 0, "1 of 1 commands"},
		{"command fails", strings.ReplaceAll(passes, `"end",`, `"end","Status":3,`), "", 1, "j: status 3"},
		{"command times out", strings.ReplaceAll(passes, `"end",`, `"end","TimedOut":true,`), "", 1, "timed out"},
		{"oops, and the command passes", passes + oops, "", 1, `oops, after "begin j": [    2.1] BUG: kernel NULL`},
		{"oops allowed", passes + oops, "NULL pointer", 0, ""},
		{"error of a device made to fail", passes + ioError, "", 0, ""},
		{"error of another device", passes + strings.ReplaceAll(ioError, "dev nullb5", "dev nullb50"), "", 1, "I/O error"},
		{"dies before the command ends", `echo '{"Kind":"begin","Name":"j"}'`, "", 1, "before it had run everything"},
		{"dies while powering off", strings.ReplaceAll(passes, `echo '{"Kind":"off"}'`, ""), "", 1, "before it had run everything"},
		{"boots and says nothing", "exit 0", "", 1, "0 of 1 commands"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := fakeQEMU(t, c.script)
			if c.allow != "" {
				l.allowed = []*regexp.Regexp{regexp.MustCompile(c.allow)}
			}
			jobs := []plan.Job{{Name: "j", Timeout: time.Second}}
			out, err := l.start(t.Context(), t.TempDir(), "initrd", plan.Plan{Jobs: jobs}, (&screen{l: l, all: &bytes.Buffer{}}).show)
			if err != nil {
				t.Fatal(err)
			}
			status := l.report(jobs, out)
			said := l.stderr.(*bytes.Buffer).String()
			if status != c.status || !strings.Contains(said, c.said) {
				t.Errorf("status %d, want %d:\n%s", status, c.status, said)
			}
		})
	}
}

func TestGuestThatDoesNotEnd(t *testing.T) {
	l := fakeQEMU(t, passes+"exec sleep 1000\n")
	l.bootLimit = 300 * time.Millisecond
	out, err := l.start(t.Context(), t.TempDir(), "initrd", plan.Plan{}, func(plan.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	if status := l.report(nil, out); status == 0 || !strings.Contains(l.stderr.(*bytes.Buffer).String(), "did not power off") {
		t.Errorf("status %d: %s", status, l.stderr)
	}
}

func TestQEMUThatFails(t *testing.T) {
	l := fakeQEMU(t, "echo no such device >&2; exit 1\n")
	if _, err := l.start(t.Context(), t.TempDir(), "initrd", plan.Plan{}, func(plan.Event) {}); err == nil || !strings.Contains(err.Error(), "no such device") {
		t.Error(err)
	}
}

func TestInterrupted(t *testing.T) {
	l := fakeQEMU(t, passes+"exec sleep 1000\n")
	ctx, cancel := context.WithCancel(t.Context())
	_, err := l.start(ctx, t.TempDir(), "initrd", plan.Plan{}, func(e plan.Event) {
		if e.Kind == plan.Off {
			cancel()
		}
	})
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Error(err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"walk"}, {"exec"}, {"run", "x"}, {"run", "--no-such"}, {"run", "--allow", "("}} {
		if status, _ := command(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); status != 2 {
			t.Errorf("%q: status %d", args, status)
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("x\n", 100) + "last\n"
	if got := excerpt(long, true); got != "last" {
		t.Errorf("%q", got)
	}
	got := strings.Split(excerpt(long, false), "\n")
	if len(got) != headLines+1+tailLines || got[len(got)-1] != "last" || got[headLines] != "... 46 lines left out ..." {
		t.Errorf("%q", got)
	}
	if got := excerpt("one\ntwo\n", false); got != "one\ntwo" {
		t.Errorf("%q", got)
	}
}

func TestDevicesHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range guestDevices() {
		if seen[d.Name] {
			t.Errorf("two devices are called %s", d.Name)
		}
		seen[d.Name] = true
		if d.Over != "" && !seen[d.Over] {
			t.Errorf("%s lies over %s, which is not made before it", d.Name, d.Over)
		}
	}
}

func TestSuiteOfOldKernels(t *testing.T) {
	if got := suite("5.10", false); len(got) != 1 || got[tableJob].Name != "table" {
		t.Error(got)
	}
	for _, j := range suite("5.10", true) {
		if strings.Contains(j.Name, "-p1") && !strings.Contains(j.Name, "nvme") {
			t.Errorf("%s: 5.10 cannot poll that", j.Name)
		}
	}
	if a, b := len(suite("5.10", true)), len(suite("6.1", true)); a >= b {
		t.Error(a, b)
	}
}

func TestForGoTest(t *testing.T) {
	args := []string{"-test.paniconexit0", "-test.testlogfile=/tmp/b/testlog.txt", "-test.timeout=10m0s", "/x/y"}
	if diff := cmp.Diff([]string{"/tmp/b"}, foldersOf(args)); diff != "" {
		t.Error(diff)
	}
	env := []string{"HOME=/h", "RINGPEAK_X=1", "GODEBUG=a=b", "PATH=/p"}
	if diff := cmp.Diff([]string{"RINGPEAK_X=1", "GODEBUG=a=b"}, passed(env)); diff != "" {
		t.Error(diff)
	}
	l := &lab{root: "/r"}
	if got, err := l.guestPath("/r/go/device"); got != "/src/go/device" || err != nil {
		t.Error(got, err)
	}
	for _, p := range []string{"/", "/rr", "/etc"} {
		if _, err := l.guestPath(p); err == nil {
			t.Errorf("%s is in the repository?", p)
		}
	}
}

func TestStatic(t *testing.T) {
	if err := static("/bin/sh"); err == nil || !strings.Contains(err.Error(), "shared libraries") {
		t.Error(err)
	}
	if err := static("lab_test.go"); err == nil {
		t.Error("a text was taken for a program")
	}
}
