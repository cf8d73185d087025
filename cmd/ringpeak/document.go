package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// destination looks, before a run that may be long, whether its document can
// be put where it shall go. What stands there and is none of ours is left
// alone: a slip of the fingers must not turn a disk image into JSON.
func destination(path string, targets []string) error {
	if path == "" || path == "-" {
		return nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkFolder(path)
	case err != nil:
		return result.Errorf(result.StatusSetup, "--json: %w", err)
	}
	for _, t := range targets {
		if tt, err := os.Stat(t); err == nil && os.SameFile(st, tt) {
			return result.Errorf(result.StatusUsage, "--json %s is the target %s itself: name another file", path, t)
		}
	}
	switch {
	case st.IsDir():
		return result.Errorf(result.StatusUsage, "--json %s is a directory: name a file", path)
	case st.Mode()&fs.ModeDevice != 0 && st.Mode()&fs.ModeCharDevice == 0:
		return result.Errorf(result.StatusUsage, "--json %s is a block device: name a file", path)
	case !st.Mode().IsRegular() || strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/"):
		return nil // a pipe, a terminal, an open descriptor: written to as it stands
	}
	if err := checkReplaced(path, st.Size()); err != nil {
		return err
	}
	return checkFolder(path)
}

// checkReplaced lets nothing but an older document, or an empty file, be replaced.
func checkReplaced(path string, size int64) error {
	if size == 0 {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return result.Errorf(result.StatusSetup, "--json: look at what stands there: %w", err)
	}
	defer f.Close()
	start, _ := io.ReadAll(io.LimitReader(f, 4096)) // what cannot be read is not ours
	if bytes.HasPrefix(start, []byte("{")) && bytes.Contains(start, []byte(`"schema": "ringpeak.`)) {
		return nil
	}
	return result.Errorf(result.StatusUsage, "--json %s exists and is no result of ringpeak: remove it first, or name another file", path)
}

func checkFolder(path string) error {
	if dir := filepath.Dir(path); unix.Access(dir, unix.W_OK|unix.X_OK) != nil {
		return result.Errorf(result.StatusSetup, "--json %s: nothing can be written in %s: does it exist, and may this user write there?", path, dir)
	}
	return nil
}
