package main

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// place makes an empty directory for a test, on a file system that takes
// O_DIRECT if there is one, and says whether it does. Everybody may search it.
func place(t *testing.T) (dir string, direct bool) {
	t.Helper()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{os.TempDir(), "/var/tmp", wd} {
		d, err := os.MkdirTemp(root, "ringpeak-test-")
		if err != nil {
			continue
		}
		if takesDirect(d) {
			dir, direct = d, true
			break
		}
		os.Remove(d)
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "ringpeak-test-"); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, direct
}

// takesDirect says whether files in dir can be read in direct blocks of 512 bytes.
func takesDirect(dir string) bool {
	name := filepath.Join(dir, "probe")
	defer os.Remove(name)
	if err := os.WriteFile(name, make([]byte, 4096), 0o600); err != nil {
		return false
	}
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, name, 0, unix.STATX_DIOALIGN, &st); err != nil ||
		st.Mask&unix.STATX_DIOALIGN != 0 && (st.Dio_offset_align == 0 || st.Dio_offset_align > 512) {
		return false
	}
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// directPlace is a directory on a file system that takes O_DIRECT.
func directPlace(t *testing.T) string {
	t.Helper()
	dir, direct := place(t)
	if !direct {
		t.Skip("no directory that takes O_DIRECT in blocks of 512: set TMPDIR to one")
	}
	return dir
}

// dataFile makes a file of random bytes, on disk.
func dataFile(path string, size int64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, size)
	rand.Read(b) // never fails
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Sync()
}

// testFile is dataFile in a test's directory.
func testFile(t *testing.T, dir, name string, size int64) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := dataFile(path, size); err != nil {
		t.Fatal(err)
	}
	return path
}
