package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ringpeak/build/lab/plan"
)

// testTimeout is for one package, also on a host that is busy; the emulated machine is some 20 times slower than it.
const testTimeout = 6 * time.Minute

// testBinary is a package's tests, to be run in the guest beside those of other packages.
type testBinary struct {
	pkg  string // ringpeak/go/device
	run  string // which of its tests, as go test -run has it; all if empty
	file string // on the host
	dir  string // in the guest
}

func (t testBinary) guest() string { return "/tests/" + strings.ReplaceAll(t.pkg, "/", "_") + ".test" }

func (t testBinary) job() plan.Job {
	return plan.Job{
		Name: "go test " + t.pkg,
		// The test's own limit comes first: it shows the stacks.
		Argv: []string{t.guest(), "-test.paniconexit0", "-test.timeout=" + (testTimeout - 10*time.Second).String(), "-test.run=" + t.run},
		Dir:  t.dir, Timeout: testTimeout,
	}
}

// compile builds the tests of packages, static, with the caller's settings for cgo. Those without tests are left out.
// PATTERN=REGEXP are only the tests of these packages that go test -run would choose.
func (l *lab) compile(ctx context.Context, patterns []string) ([]testBinary, error) {
	var out []testBinary
	for _, p := range patterns {
		pattern, run, _ := strings.Cut(p, "=")
		tests, err := l.compileOne(ctx, pattern, run)
		if err != nil {
			return nil, err
		}
		out = append(out, tests...)
	}
	return out, nil
}

func (l *lab) compileOne(ctx context.Context, pattern, chosen string) ([]testBinary, error) {
	command := os.Getenv("GO")
	if command == "" {
		command = "go"
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, command, args...)
		cmd.Dir = l.root
		cmd.Stderr = l.stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", command, args[0], err)
		}
		return out, nil
	}
	listed, err := run("list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", pattern)
	if err != nil {
		return nil, err
	}
	tests := filepath.Join(l.out, "tests")
	if err := os.MkdirAll(tests, 0o755); err != nil {
		return nil, err
	}
	var out []testBinary
	for dec := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		t := testBinary{pkg: p.ImportPath, run: chosen}
		t.file = filepath.Join(tests, filepath.Base(t.guest()))
		if t.dir, err = l.guestPath(p.Dir); err != nil {
			return nil, err
		}
		// The linker's flags change nothing for a package without cgo.
		if _, err := run("test", "-c", "-tags", "netgo,osusergo", "-ldflags", "-extldflags -static", "-o", t.file, t.pkg); err != nil {
			return nil, err
		}
		if err := static(t.file); err != nil {
			return nil, err
		}
		out = append(out, t)
	}
}
