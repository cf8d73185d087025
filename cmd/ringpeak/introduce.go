package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"

	"ringpeak/go/config"
	"ringpeak/go/result"
)

// What a call without arguments does: the smallest tour of the tool that
// needs nothing but the machine.
const (
	introSeconds   = "3"
	introFileBytes = 256 << 20
)

// introduce measures the NOP ceiling, then random reads of a temporary file.
func introduce(stdout, stderr io.Writer) error {
	stop, done := watchSignals(stderr, nil)
	defer done()
	fmt.Fprintf(stdout, "# 1 of 2: the ceiling of this machine, no-ops: ringpeak -N1 -r%s\n", introSeconds)
	if err := introduceOne(nil, stop, stdout, stderr, "-N1"); err != nil {
		return err
	}
	if stopped(stop) {
		return nil
	}
	f, err := temporaryFile(introFileBytes)
	if err != nil {
		return err
	}
	defer f.Close()
	if stopped(stop) {
		return nil
	}
	path := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	fmt.Fprintf(stdout, "\n# 2 of 2: random 4 KiB reads of a temporary file of %d MiB in %s: ringpeak -r%s FILE\n",
		introFileBytes>>20, tempDir(), introSeconds)
	return introduceOne(map[string]string{path: "temporary-file"}, stop, stdout, stderr, path)
}

func introduceOne(names map[string]string, stop <-chan string, stdout, stderr io.Writer, args ...string) error {
	args = append([]string{"-r" + introSeconds}, args...)
	return dispatch(config.Options(), config.Help(), args, stdout, stderr, func(c *cli.Context) error {
		req, err := config.FromContext(c, config.NewSeed)
		if err != nil {
			return err
		}
		return measure(job{req: req, argv: append([]string{"ringpeak"}, args...), names: names, stop: stop}, stdout, stderr)
	})
}

// stopped says whether a signal has come.
func stopped(stop <-chan string) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

func tempDir() string {
	if dir := os.Getenv("TMPDIR"); dir != "" {
		return dir
	}
	return "/var/tmp" // on disk, where /tmp may be memory
}

// temporaryFile makes a file of data that no layer below can compress or
// share. It has no name: the kernel removes it when the process ends, however
// it ends.
func temporaryFile(size int64) (*os.File, error) {
	dir := tempDir()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return nil, result.Errorf(result.StatusSetup, "look at %s for a temporary file: %w; set TMPDIR to another directory", dir, err)
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < 2*size {
		return nil, result.Errorf(result.StatusSetup, "%s has %d MiB free and the temporary file needs %d: set TMPDIR to another directory", dir, free>>20, size>>20)
	}
	f, err := os.CreateTemp(dir, "ringpeak-*")
	if err != nil {
		return nil, result.Errorf(result.StatusSetup, "%w; set TMPDIR to another directory", err)
	}
	if err = os.Remove(f.Name()); err == nil {
		err = fill(f, size)
	}
	if err != nil {
		f.Close()
		return nil, result.Errorf(result.StatusSetup, "fill a temporary file in %s: %w; set TMPDIR to another directory", dir, err)
	}
	return f, nil
}

func fill(f *os.File, size int64) error {
	var seed [32]byte
	rand.Read(seed[:]) // never fails
	w := bufio.NewWriterSize(f, 1<<20)
	if _, err := io.CopyN(w, mathrand.NewChaCha8(seed), size); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}
