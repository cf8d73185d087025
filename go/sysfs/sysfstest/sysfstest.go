// Package sysfstest lays recorded /sys and /proc trees out for tests. A tree is
// a txtar archive, so that no forest of symlinks is committed.
//
// A file in the archive is a file of the tree, except that one whose name ends
// in "/" is a directory, each of whose lines makes an entry in it:
//
//	io_poll 1                        a file, with that line
//	model Acme SSD 1 TB              a file; the value runs to the end of the line
//	mq/0/                            an empty directory
//	driver -> ../../bus/drivers/x    a symlink
//	wbt_lat_usec !                   a file that cannot be read (it is a directory)
//
// It is imported by tests only, and imports nothing of ours.
package sysfstest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Load lays the archives out, one over the other, in a directory that the test
// removes, and returns that directory.
func Load(t testing.TB, archives ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) == 0 {
			t.Fatalf("%s holds no files", name)
		}
		for _, f := range a.Files {
			if err := lay(root, f.Name, string(f.Data)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	return root
}

func lay(root, name, data string) error {
	path := filepath.Join(root, name)
	if !strings.HasSuffix(name, "/") {
		return write(path, data)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if err := entry(path, line); err != nil {
			return fmt.Errorf("%s: %q: %w", name, line, err)
		}
	}
	return nil
}

func entry(dir, line string) error {
	name, value, _ := strings.Cut(line, " ")
	path := filepath.Join(dir, name)
	target, isLink := strings.CutPrefix(value, "-> ")
	switch {
	case isLink:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.Symlink(target, path)
	case strings.HasSuffix(name, "/"), value == "!":
		return os.MkdirAll(path, 0o755)
	}
	return write(path, value+"\n")
}

func write(path, data string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(data), 0o644)
}
