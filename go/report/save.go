package report

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// SaveJSON writes r to path as one JSON document; see saveAs.
func SaveJSON(path string, r *result.Result) error { return saveAs(path, r, document) }

// saveAs writes what render makes of r to path, whole or not at all: to a new
// file beside it, which then takes its name. A symbolic link keeps pointing
// where it points. A pipe, a terminal or /dev/null is written to as it stands.
// Any other device is refused, and so is a new name under /dev. Every error
// names the path.
func saveAs(path string, r *result.Result, render func(*result.Result) ([]byte, error)) error {
	doc, err := render(r)
	if err == nil {
		err = save(path, doc)
	}
	return writing(path, err)
}

// writing is an error of writing to path, which is named once: not by the name
// of a temporary file.
func writing(path string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("write %s: %w", path, err)
}

func save(path string, doc []byte) error {
	path, stream, err := Place(path)
	switch {
	case err != nil:
		return err
	case stream:
		return writeStream(path, doc)
	}
	return replace(path, doc)
}

// What is refused as a place for a result, whoever may write there.
var (
	ErrDevice   = errors.New("it is a device")
	ErrUnderDev = errors.New("nothing is created under /dev")
)

// Place finds where path leads: to something that is written to as it stands,
// or to a file that is there or will be. It writes nothing; a path that is no
// place for a result is refused, with one of them or EISDIR.
func Place(path string) (_ string, stream bool, _ error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return "", false, syscall.EISDIR
	case err == nil && isStream(path, info):
		return path, true, nil
	case err == nil && !info.Mode().IsRegular():
		return "", false, ErrDevice
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", false, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return "", false, err
	default: // also a symbolic link to a file that is not there yet
		if to, err := os.Readlink(path); err == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return Place(to)
		}
	}
	if abs, err := filepath.Abs(path); err == nil && isUnder(abs, "/dev") && !isUnder(abs, "/dev/shm") {
		return "", false, ErrUnderDev
	}
	return path, false, nil
}

// isStream says whether path is written to in place: a pipe, a terminal,
// /dev/null and /dev/full, or another name of an open descriptor.
func isStream(path string, info fs.FileInfo) bool {
	if abs, err := filepath.Abs(path); err == nil && info.Mode().IsRegular() {
		return isUnder(abs, "/proc") || isUnder(abs, "/dev/fd") || abs == "/dev/stdout" || abs == "/dev/stderr"
	}
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return true
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	switch major, minor := unix.Major(st.Rdev), unix.Minor(st.Rdev); {
	case major == 1: // memory devices
		return minor == 3 || minor == 7 // null, full
	default: // consoles, /dev/tty, pseudo-terminals
		return major == 4 || major == 5 || major >= 136 && major <= 143
	}
}

func isUnder(path, dir string) bool {
	return strings.HasPrefix(path, dir+"/")
}

func openStream(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
}

func writeStream(path string, doc []byte) error {
	f, err := openStream(path)
	if err != nil {
		return err
	}
	_, err = f.Write(doc)
	return errors.Join(err, f.Close())
}

// replace makes doc the content of path. What stood there stays until the new
// file is complete and on disk.
func replace(path string, doc []byte) error {
	f, err := begin(path, doc)
	if err != nil {
		return err
	}
	return f.Close()
}

// begin makes a file that begins with text the one at path, and leaves it open
// for more. What stood there stays until the text is on disk.
func begin(path string, text []byte) (_ *os.File, err error) {
	f, err := createBeside(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(text); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil {
		if err := f.Chmod(st.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		var le *os.LinkError
		if errors.As(err, &le) {
			return nil, le.Err
		}
		return nil, err
	}
	return f, nil
}

// createBeside makes a new file in path's directory, with the mode that the
// umask leaves to any new file. What is written goes to its end, also when
// somebody else has made that an earlier one.
func createBeside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%08x", base, rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fs.ErrExist
}
