package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"ringpeak/go/report"
	"ringpeak/go/result"
)

// check looks, before a run that may be long, whether it can be put where it
// shall go. What stands there and is none of ours is left alone: a slip of the
// fingers must not turn a disk image into JSON.
func (o *output) check(targets []string) error {
	st, err := os.Stat(o.path)
	for _, t := range targets {
		if tt, terr := os.Stat(t); err == nil && terr == nil && os.SameFile(st, tt) {
			return result.Errorf(result.StatusUsage, "%s %s is the target %s itself: name another file", o.option, o.path, t)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return o.nothingIn(filepath.Dir(o.path))
	}
	path, stream, err := report.Place(o.path)
	switch {
	case errors.Is(err, syscall.EISDIR):
		return result.Errorf(result.StatusUsage, "%s %s is a directory: name a file", o.option, o.path)
	case errors.Is(err, report.ErrDevice), errors.Is(err, report.ErrUnderDev):
		return result.Errorf(result.StatusUsage, "%s %s: %w: name another file", o.option, o.path, err)
	case err != nil:
		return result.Errorf(result.StatusSetup, "%s: %w", o.option, err)
	case stream:
		return nil // a pipe, a terminal, an open descriptor: written to as it stands
	}
	if st, err := os.Stat(path); err == nil {
		if err := o.checkReplaced(st.Size()); err != nil {
			return err
		}
	}
	return o.checkFolder(filepath.Dir(path))
}

// checkReplaced lets nothing but an older file of the kind, or an empty one,
// be replaced.
func (o *output) checkReplaced(size int64) error {
	if size == 0 {
		return nil
	}
	f, err := os.Open(o.path)
	if err != nil {
		return result.Errorf(result.StatusSetup, "%s: look at what stands there: %w", o.option, err)
	}
	defer f.Close()
	start, _ := io.ReadAll(io.LimitReader(f, 4096)) // what cannot be read is not ours
	if o.ours(start) {
		return nil
	}
	return result.Errorf(result.StatusUsage, "%s %s exists and is no result of ringpeak%s: remove it first, or name another file",
		o.option, o.path, o.sort)
}

func (o *output) checkFolder(dir string) error {
	if unix.Access(dir, unix.W_OK|unix.X_OK) != nil {
		return o.nothingIn(dir)
	}
	return nil
}

func (o *output) nothingIn(dir string) error {
	return result.Errorf(result.StatusSetup, "%s %s: nothing can be written in %s: does it exist, and may this user write there?",
		o.option, o.path, dir)
}
