package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ringpeak/build/lab/plan"
)

// execBinary runs one program as if it had been run here: same arguments, same folder, its output and its status.
func execBinary(ctx context.Context, l *lab, o options) (int, error) {
	bin := o.args[0]
	if err := static(bin); err != nil {
		return 4, err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return 4, err
	}
	dir, err := l.guestPath(cwd)
	if err != nil {
		return 4, err
	}
	job := plan.Job{Name: filepath.Base(bin), Argv: append([]string{"/bin/" + filepath.Base(bin)}, o.args[1:]...), Dir: dir, Timeout: o.timeout}
	job.Env = append(passed(os.Environ()), o.env...)
	fill := func(im *image) error {
		if err := errors.Join(im.add(job.Argv[0], bin), im.w.Dir(dir), l.addTestdata(im)); err != nil {
			return err
		}
		for _, d := range foldersOf(o.args[1:]) {
			if err := im.w.Dir(d); err != nil {
				return err
			}
		}
		for _, f := range o.files {
			abs, err := filepath.Abs(f)
			if err != nil {
				return err
			}
			to, err := l.guestPath(abs)
			if err != nil {
				return err
			}
			if err := im.tree(to, abs); err != nil {
				return err
			}
		}
		return nil
	}
	out, err := l.boot(ctx, plan.Plan{Jobs: []plan.Job{job}}, fill, func(e plan.Event) {
		switch e.Kind {
		case plan.Stdout:
			_, _ = l.stdout.Write(e.Data)
		case plan.Stderr:
			_, _ = l.stderr.Write(e.Data)
		}
	})
	if err != nil {
		return 4, err
	}
	end, ended := out.ends[0]
	if end.TimedOut || end.Text != "" {
		l.say("FAIL", "%s on %s: %s", job.Name, l.release, failure(end))
	}
	faults := out.faults()
	for _, f := range faults {
		l.say("FAULT", "%s on %s: %s", job.Name, l.release, f)
	}
	if len(faults) > 0 {
		l.say("SEE", "%s for the kernel log", out.log)
	}
	if (len(faults) > 0 || !ended || end.TimedOut) && end.Status == 0 {
		return 1, nil
	}
	return end.Status, nil
}

// guestPath is where a file of the repository has its place in the guest.
func (l *lab) guestPath(path string) (string, error) {
	rel, err := filepath.Rel(l.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", fmt.Errorf("%s is not in the repository", path)
	}
	return filepath.Join("/src", rel), nil
}

// addTestdata adds every package's testdata, because tests borrow from each other's, and go.mod, by which a test
// can find the top of the tree.
func (l *lab) addTestdata(im *image) error {
	for _, top := range []string{"go", "cmd", "build/lab"} {
		err := filepath.WalkDir(filepath.Join(l.root, top), func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() != "testdata" {
				return err
			}
			to, err := l.guestPath(p)
			if err != nil {
				return err
			}
			if err := im.tree(to, p); err != nil {
				return err
			}
			return fs.SkipDir
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return im.add("/src/go.mod", filepath.Join(l.root, "go.mod"))
}

// passed picks the variables that concern tests; the rest is about the host.
func passed(env []string) []string {
	var out []string
	for _, kv := range env {
		if strings.HasPrefix(kv, "RINGPEAK_") || strings.HasPrefix(kv, "GODEBUG=") || strings.HasPrefix(kv, "GOTRACEBACK=") {
			out = append(out, kv)
		}
	}
	return out
}

// foldersOf finds the folders of the files that go test tells a test binary to write.
func foldersOf(args []string) []string {
	var out []string
	for _, a := range args {
		if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-test.") && filepath.IsAbs(value) {
			out = append(out, filepath.Dir(value))
		}
	}
	return out
}

func runShell(ctx context.Context, l *lab, o options) (int, error) {
	if !hasBusybox() {
		return 4, fmt.Errorf("no static %s for a prompt: its Debian package is in build/packages.txt", busybox)
	}
	l.say("LAB", "%s is %s (%s)", l.kernel, l.release, l.version)
	_, err := l.boot(ctx, plan.Plan{Shell: true}, func(im *image) error { return addBinary(im, o.bin) }, nil)
	return 0, err
}
