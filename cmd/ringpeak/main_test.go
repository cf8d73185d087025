package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// runLimit is how long one run of the program may take in a test before it is
// held to hang.
const runLimit = 30 * time.Second

// TestMain makes the test binary the programs of the tests as well, by the
// name it is called with. Orphans become children of the test, so that
// a process that was left behind is found.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "ringpeak", "sandbox":
	default:
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			fmt.Fprintln(os.Stderr, "PR_SET_CHILD_SUBREAPER:", err)
			os.Exit(1)
		}
	}
	testscript.Main(m, map[string]func(){"ringpeak": main, "sandbox": sandbox})
}

// children are the processes that this one has.
func children() (list []string) {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, pid := range strings.Fields(string(b)) {
			cmd, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			list = append(list, pid+" "+string(bytes.ReplaceAll(cmd, []byte{0}, []byte{' '})))
		}
	}
	return list
}

// command is the program, or the sandbox in front of it, as a command to be
// started. It is killed when it takes longer than runLimit.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args = append([]string{name}, args...)
	cmd.WaitDelay = 10 * time.Second // a loaded kernel closes the files of the dead when it comes to it
	return cmd
}

// outcome is what a run left.
type outcome struct {
	status         int
	stdout, stderr string
	took           time.Duration
}

// finish runs cmd to its end.
func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.Stderr = &stderr
	start := time.Now()
	status := exitStatus(t, cmd.Run())
	return outcome{status, stdout.String(), stderr.String(), time.Since(start)}
}

func exitStatus(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.Exited():
		return exit.ExitCode()
	}
	t.Fatalf("the program did not exit by itself: %v", err)
	return -1
}

// ringpeak runs the program to its end.
func ringpeak(t *testing.T, args ...string) (o outcome) {
	t.Helper()
	for range attempts {
		if o = finish(t, command(t, "ringpeak", args...)); !starved(o.stderr) {
			break
		}
	}
	return o
}

// starved says whether a run got no CPU in its short window. On a machine that
// is busy with other things that happens, so such a run is repeated.
func starved(stderr string) bool {
	return strings.Contains(stderr, "nothing was measured: no I/O completed in 0.") || strings.Contains(stderr, "the no-ops failed: none completed")
}

// attempts is how often a starved run is repeated before it is a failure.
const attempts = 4

// complaints are the lines of stderr that are no notes.
func complaints(stderr string) (list []string) {
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "ringpeak: note: ") {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
	}
	return list
}

// oneComplaint checks that stderr holds one sentence of ours that has all
// parts, beside notes.
func oneComplaint(t *testing.T, stderr string, parts ...string) {
	t.Helper()
	list := complaints(stderr)
	if len(list) != 1 || !strings.HasPrefix(list[0], "ringpeak: ") {
		t.Errorf("stderr is not one line of ringpeak's:\n%s", stderr)
	}
	for _, p := range parts {
		if !strings.Contains(stderr, p) {
			t.Errorf("stderr lacks %q:\n%s", p, stderr)
		}
	}
}

// cannotMeasure says why nothing can be measured here, "" if it can.
var cannotMeasure = sync.OnceValue(func() string {
	if !withCgo {
		return "built without cgo"
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{"ringpeak", "-N1", "-r0.02", "-d1"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() == 4 {
		return "no io_uring here: " + strings.TrimSpace(stderr.String())
	}
	return "" // all else is for the tests to find
})

func needMeasure(t *testing.T) {
	t.Helper()
	if why := cannotMeasure(); why != "" {
		t.Skip(why)
	}
}
