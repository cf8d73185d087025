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

// testTimeout is for one package; the emulated machine is some 20 times slower than its host.
const testTimeout = 2 * time.Minute

// testBinary is a package's tests, to be run in the guest beside those of other packages.
type testBinary struct {
	pkg  string // ringpeak/go/device
	file string // on the host
	dir  string // in the guest
}

func (t testBinary) guest() string { return "/tests/" + strings.ReplaceAll(t.pkg, "/", "_") + ".test" }

func (t testBinary) job() plan.Job {
	return plan.Job{
		Name: "go test " + t.pkg,
		// The test's own limit comes first: it shows the stacks.
		Argv: []string{t.guest(), "-test.paniconexit0", "-test.timeout=" + (testTimeout - 10*time.Second).String()},
		Dir:  t.dir, Timeout: testTimeout,
	}
}

// compile builds the tests of packages, static, with the caller's settings for cgo. Those without tests are left out.
func (l *lab) compile(ctx context.Context, patterns []string) ([]testBinary, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
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
	listed, err := run(append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, patterns...)...)
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
		t := testBinary{pkg: p.ImportPath}
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
