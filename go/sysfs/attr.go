package sysfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// State says what became of an attribute.
type State uint8

// The states. The zero value is Absent.
const (
	Absent     State = iota // the kernel has no such attribute
	Unreadable              // it is there, but reading it failed
	Malformed               // it was read, but has not the expected form
	Present
)

func (s State) String() string {
	switch s {
	case Absent:
		return "absent"
	case Unreadable:
		return "unreadable"
	case Malformed:
		return "malformed"
	case Present:
		return "present"
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

// Attr is one attribute: its value when State is Present, else why there is
// none. Err is nil when the attribute is Present or Absent.
type Attr[T any] struct {
	Value T
	State State
	Err   error
}

// Int is a decimal attribute, Text one line without its newline.
type (
	Int  = Attr[int64]
	Text = Attr[string]
)

// OK says whether there is a value.
func (a Attr[T]) OK() bool { return a.State == Present }

// Ptr returns a pointer to a copy of the value, nil when there is none.
func (a Attr[T]) Ptr() *T {
	if !a.OK() {
		return nil
	}
	v := a.Value
	return &v
}

// Have makes an attribute that is Present.
func Have[T any](v T) Attr[T] { return Attr[T]{Value: v, State: Present} }

// Tree is a file tree that holds sys and proc.
type Tree struct{ root string }

// At returns the tree below root; "" and "/" are the running system's. In any
// other tree, symlinks must be relative, as all of those in /sys are.
func At(root string) Tree {
	if root == "" {
		root = "/"
	}
	if dir, err := filepath.EvalSymlinks(root); err == nil {
		root = dir
	}
	return Tree{root: root}
}

func (t Tree) path(elem ...string) string {
	return filepath.Join(append([]string{t.root}, elem...)...)
}

// devices is where all device directories lie.
func (t Tree) devices() string { return t.path("sys/devices") }

func readText(path string) Text {
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return Text{}
	case err != nil:
		return Text{State: Unreadable, Err: err}
	}
	return Have(strings.TrimSpace(string(b)))
}

func readInt(path string) Int {
	return parseAttr(readText(path), path, func(s string) (int64, error) {
		return strconv.ParseInt(s, 10, 64)
	})
}

func readCPUs(path string) Attr[[]int] {
	return parseAttr(readText(path), path, ParseCPUList)
}

// parseAttr carries the state of what was read over to what it parses to.
func parseAttr[T any](t Text, path string, parse func(string) (T, error)) Attr[T] {
	if !t.OK() {
		return Attr[T]{State: t.State, Err: t.Err}
	}
	v, err := parse(t.Value)
	if err != nil {
		return Attr[T]{State: Malformed, Err: fmt.Errorf("parse %s: %w", path, err)}
	}
	return Have(v)
}

// readNames lists a directory, sorted; nil when it cannot be read.
func readNames(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
