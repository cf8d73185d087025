package bench

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

func TestHugeFileErrors(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		status     int
		words      []string
	}{
		{"missing", plain + ".missing", result.StatusSetup, []string{plain + ".missing", "no such file"}},
		{"a directory", filepath.Dir(plain), result.StatusSetup, []string{"is a directory"}},
		{"an ordinary file", plain, result.StatusUsage, []string{plain, "hugetlbfs", "-H"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := openFiles(t)
			h, err := openHugeFile(&result.Spec{HugeFile: tt.path, Threads: 1}, 4096)
			wantError(t, err, tt.status, tt.words...)
			if h != nil || openFiles(t) != before {
				t.Error("something stayed open")
			}
		})
	}
}

func TestNoHugeFile(t *testing.T) {
	for _, s := range []result.Spec{{}, {HugeFile: "/none"}} {
		h, err := openHugeFile(&s, 0)
		if h != nil || err != nil || h.FD() != -1 || h.Share() != 0 {
			t.Errorf("%+v, %v", h, err)
		}
		h.Close()
	}
}

func TestHugeFile(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "hugetlbfs", 0, ""); err != nil {
		t.Skipf("cannot mount hugetlbfs here: %v", err)
	}
	defer func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	}()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	page := fs.Bsize
	path := filepath.Join(dir, "buffers")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// The size only: no page is touched, so that the pool may be empty.
	if err := f.Truncate(2 * page); err != nil {
		t.Fatal(err)
	}
	h, err := openHugeFile(&result.Spec{HugeFile: path, Threads: 2}, page)
	if err != nil {
		t.Fatal(err)
	}
	if h.FD() < 0 || h.Share() != page {
		t.Errorf("descriptor %d, share %d", h.FD(), h.Share())
	}
	h.Close()
	h.Close()
	if h.FD() != -1 {
		t.Error("still open")
	}
	_, err = openHugeFile(&result.Spec{HugeFile: path, Threads: 3}, page)
	wantError(t, err, result.StatusUsage, path, "3 submitters", "make it larger")
}
