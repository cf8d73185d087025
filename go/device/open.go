package device

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Options say how a target will be read.
type Options struct {
	BlockSize int64 // bytes per I/O, above 0
	Direct    bool  // O_DIRECT; not for passthrough
	// Passthrough: targets are the character devices of NVMe namespaces.
	Passthrough bool
	// Follow: of a namespace, take the device that Passthrough needs, whichever
	// of the two was named. Target.Resolved then says what was opened.
	Follow bool
	Root   string // tree that holds /sys and /proc; "" is the running system's
}

// Open opens a regular file, a block device, or for passthrough the character
// device of an NVMe namespace, for reading only, and describes it. Target.FD is
// valid until Close. Opening never blocks. CanPoll holds what sysfs says;
// nothing has been read from the target yet.
func Open(path string, o Options) (*result.Target, error) {
	if path == "" {
		return nil, result.Errorf(result.StatusUsage, "a target has an empty name")
	}
	if o.BlockSize <= 0 {
		return nil, result.Errorf(result.StatusUsage, "block size %d: it must be above 0", o.BlockSize)
	}
	tree := sysfs.At(o.Root)

	p, err := locate(path, o, tree)
	if err != nil {
		return nil, err
	}
	t := &result.Target{Path: path, Kind: p.kind, FD: -1, Resolved: resolved(p.path)}
	if t.Resolved == "" && p.path != path {
		t.Resolved = p.path
	}
	complete := fill
	if p.kind == result.KindGeneric {
		complete = fillGeneric
		t.FD, err = openGeneric(p.path)
	} else {
		t.FD, err = openFD(p.path, p.kind, o.Direct, tree)
	}
	if err != nil {
		return nil, err
	}
	if err := complete(t, &p.st, o, tree); err != nil {
		Close(t)
		return nil, err
	}
	return t, nil
}

// OpenAll opens every path, in order. When one fails, none stays open.
func OpenAll(paths []string, o Options) ([]result.Target, error) {
	ts := make([]result.Target, 0, len(paths))
	for _, p := range paths {
		t, err := Open(p, o)
		if err != nil {
			CloseAll(ts)
			return nil, err
		}
		ts = append(ts, *t)
	}
	return ts, nil
}

// Close closes the target and sets FD to -1. A second call does nothing.
func Close(t *result.Target) error {
	if t.FD < 0 {
		return nil
	}
	fd := t.FD
	t.FD = -1
	if err := unix.Close(fd); err != nil {
		return fmt.Errorf("close %s: %w", display(t.Path), err)
	}
	return nil
}

// CloseAll closes every target, the last one first.
func CloseAll(ts []result.Target) error {
	var errs []error
	for i := len(ts) - 1; i >= 0; i-- {
		errs = append(errs, Close(&ts[i]))
	}
	return errors.Join(errs...)
}

// openFD opens without blocking: O_NONBLOCK covers a fifo that has taken the
// path's place since it was looked at. O_NOATIME is for the owner and
// CAP_FOWNER only, and EPERM otherwise (open(2)), so it is given up then.
func openFD(path string, kind result.TargetKind, direct bool, tree sysfs.Tree) (int, error) {
	flags := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NONBLOCK
	if direct {
		flags |= unix.O_DIRECT
	}
	fd, err := openNoAtime(path, flags)
	if err == nil {
		return fd, nil
	}
	if direct && errors.Is(err, unix.EINVAL) {
		if fd, again := openNoAtime(path, flags&^unix.O_DIRECT); again == nil {
			unix.Close(fd)
			return -1, noDirect(path, fileSystemAt(path, tree), err)
		}
	}
	return -1, openError(path, kind, err)
}

func openNoAtime(path string, flags int) (fd int, err error) {
	for _, extra := range []int{unix.O_NOATIME, 0} {
		err = retry(func() error {
			fd, err = unix.Open(path, flags|extra, 0)
			return err
		})
		if !errors.Is(err, unix.EPERM) {
			break
		}
	}
	return fd, err
}

// settle checks that what was opened is what was looked at, and takes
// O_NONBLOCK off again: io_uring would hand EAGAIN to such a file's reader
// instead of waiting. It returns the flags in force.
func settle(t *result.Target, before *unix.Stat_t) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(t.FD, &st); err != nil {
		return 0, result.Errorf(result.StatusSetup, "look at %s: %w", display(t.Path), err)
	}
	if st.Dev != before.Dev || st.Ino != before.Ino || st.Mode&unix.S_IFMT != before.Mode&unix.S_IFMT || st.Rdev != before.Rdev {
		return 0, result.Errorf(result.StatusSetup, "%s was replaced while it was being opened; try again", display(t.Path))
	}
	*before = st
	flags, err := unix.FcntlInt(uintptr(t.FD), unix.F_GETFL, 0)
	if err == nil {
		flags &^= unix.O_NONBLOCK
		_, err = unix.FcntlInt(uintptr(t.FD), unix.F_SETFL, flags)
	}
	if err != nil {
		return 0, result.Errorf(result.StatusSetup, "set the flags of %s: %w", display(t.Path), err)
	}
	return flags, nil
}

// resolved is the path without symlinks, empty when it has none.
func resolved(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || real == filepath.Clean(path) {
		return ""
	}
	return real
}

// retry repeats f while a signal interrupts it.
func retry(f func() error) error {
	for {
		if err := f(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// display is a path as messages show it: quoted when it holds blanks or
// anything that a terminal would not print.
func display(path string) string {
	if q := strconv.Quote(path); q != `"`+path+`"` || strings.Contains(path, " ") {
		return q
	}
	return path
}
