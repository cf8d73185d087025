package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptLimit is how long one script may take.
const scriptLimit = time.Minute

// TestScript runs testdata/script: the program as a user calls it, one theme a
// script. Beside those of testscript, scripts have the commands of
// scriptCommands and the condition [direct], which says whether $WORK takes
// O_DIRECT. Scripts run one after the other: they measure, and share devices.
func TestScript(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	root, direct := place(t)
	for _, file := range files {
		testscript.RunT(sequential{t}, testscript.Params{
			Files:       []string{file},
			WorkdirRoot: root,
			Deadline:    time.Now().Add(scriptLimit),
			Setup:       setUp,
			Cmds:        scriptCommands,
			Condition: func(cond string) (bool, error) {
				switch cond {
				case "direct":
					return direct, nil
				case "root":
					return os.Geteuid() == 0, nil
				case "cgo":
					return withCgo, nil
				case "smp":
					return runtime.NumCPU() > 1, nil
				}
				return false, fmt.Errorf("no condition %q", cond)
			},
		})
	}
}

// sequential is testscript's view of a test, without its parallel subtests.
type sequential struct{ *testing.T }

func (s sequential) Parallel() {}

func (s sequential) Verbose() bool { return testing.Verbose() }

func (s sequential) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(sequential{t}) })
}

// keyT is under which a script finds its test.
type keyT struct{}

// setUp prepares one script's environment, and checks at its end that nothing
// is left of it.
func setUp(env *testscript.Env) error {
	t := env.T().(sequential).T
	env.Values[keyT{}] = t
	if err := os.Chmod(env.WorkDir, 0o755); err != nil {
		return err
	}
	tmp := env.Getenv("TMPDIR")
	env.Setenv("GORACE", os.Getenv("GORACE"))
	// Cleanup comes after all that scripts defer.
	t.Cleanup(func() { nothingLeft(t, env.WorkDir, tmp) })
	return nil
}

// nothingLeft looks for what a run may leave behind: processes, temporary
// files, and loop devices on files of work.
func nothingLeft(t *testing.T, work, tmp string) {
	t.Helper()
	if list := children(); len(list) > 0 {
		t.Errorf("processes are left: %q", list)
	}
	if files, err := os.ReadDir(tmp); err != nil || len(files) > 0 {
		t.Errorf("in TMPDIR: %v %v", files, err)
	}
	if hidden, _ := filepath.Glob(work + "/.*.[0-9a-f]*"); len(hidden) > 0 {
		t.Errorf("half-written files are left: %q", hidden)
	}
	backing, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, b := range backing {
		if file, _ := os.ReadFile(b); strings.HasPrefix(string(file), work+"/") {
			t.Errorf("a loop device is left: %s is %s", b, file)
		}
	}
}
