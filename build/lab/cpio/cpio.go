// Package cpio writes "newc" archives, the format of an initramfs. It makes no other format and reads none;
// it imports the standard library alone.
package cpio

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// File types, as in st_mode.
const (
	typeDir     = 0o040000
	typeRegular = 0o100000
	typeLink    = 0o120000
	typeChar    = 0o020000
)

const trailer = "TRAILER!!!"

// Writer writes an archive. Folders above an entry are made by themselves; the kernel would drop entries without.
type Writer struct {
	w    io.Writer
	seen map[string]bool
	ino  uint32
	err  error
}

// NewWriter writes to w. Close must be called for the archive to be complete.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, seen: map[string]bool{"": true}}
}

// Dir adds a folder; one that is there already is left alone.
func (w *Writer) Dir(name string) error {
	name = clean(name)
	if w.seen[name] {
		return w.err
	}
	return w.entry(name, typeDir|0o755, 0, 0, nil)
}

// File adds a plain file with the permission bits of perm.
func (w *Writer) File(name string, perm uint32, data []byte) error {
	return w.entry(clean(name), typeRegular|perm&0o7777, 0, 0, data)
}

// Link adds a symbolic link.
func (w *Writer) Link(name, target string) error {
	return w.entry(clean(name), typeLink|0o777, 0, 0, []byte(target))
}

// Char adds a character device.
func (w *Writer) Char(name string, perm, major, minor uint32) error {
	return w.entry(clean(name), typeChar|perm&0o7777, major, minor, nil)
}

// Close writes the trailer. It does not close what lies below, and may be called twice.
func (w *Writer) Close() error {
	if errors.Is(w.err, errClosed) {
		return nil
	}
	if w.err == nil {
		w.ino = 0
		w.header(trailer, 0, 0, 0, 0, 0)
	}
	if w.err != nil {
		return w.err
	}
	w.err = errClosed
	return nil
}

var errClosed = errors.New("the archive is closed")

func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

func (w *Writer) entry(name string, mode, major, minor uint32, data []byte) error {
	if w.err != nil {
		return w.err
	}
	if name == "" || name == trailer {
		return fmt.Errorf("add %q to the archive: not a usable name", name)
	}
	if uint64(len(data)) > 0xffffffff {
		return fmt.Errorf("add %s to the archive: larger than 4 GiB", name)
	}
	// Two entries of one name would both be unpacked, the second into the inode of the first.
	if w.seen[name] {
		return fmt.Errorf("add %s to the archive: it is there already", name)
	}
	if err := w.parents(name); err != nil {
		return err
	}
	w.seen[name] = true
	w.header(name, mode, major, minor, uint32(len(data)), links(mode))
	w.write(data)
	w.pad(len(data))
	return w.err
}

func (w *Writer) parents(name string) error {
	dir := path.Dir(name)
	if dir == "." || w.seen[dir] {
		return nil
	}
	return w.entry(dir, typeDir|0o755, 0, 0, nil)
}

func links(mode uint32) uint32 {
	if mode&0o170000 == typeDir {
		return 2
	}
	return 1
}

// All times are zero, so that the same content gives the same archive.
func (w *Writer) header(name string, mode, major, minor, size, nlink uint32) {
	fields := [...]uint32{w.ino, mode, 0, 0, nlink, 0, size, 0, 0, major, minor, uint32(len(name) + 1), 0}
	var b strings.Builder
	b.WriteString("070701")
	for _, f := range fields {
		fmt.Fprintf(&b, "%08X", f)
	}
	b.WriteString(name)
	b.WriteByte(0)
	w.write([]byte(b.String()))
	w.pad(b.Len())
	w.ino++
}

// Header with name, and data, each end on a multiple of four.
func (w *Writer) pad(n int) {
	w.write(make([]byte, (4-n%4)%4))
}

func (w *Writer) write(p []byte) {
	if w.err == nil && len(p) > 0 {
		_, w.err = w.w.Write(p)
	}
}
