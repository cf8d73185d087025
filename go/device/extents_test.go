package device

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

func TestExtentsAddUp(t *testing.T) {
	e := Extents{Bytes: 1000}
	at := e.add(&fiemapExtent{logical: 100, length: 200}, 0)
	at = e.add(&fiemapExtent{logical: 300, length: 100, flags: extentUnwritten}, at)
	at = e.add(&fiemapExtent{logical: 900, length: 500, flags: extentUnwritten}, at) // beyond the range
	if e.Hole != 100+500 || e.Unwritten != 100+100 || at != 1000 || e.Count != 3 {
		t.Errorf("%+v, at %d", e, at)
	}
}

// A file that is a quarter data, a quarter never written, and half hole.
func TestFileExtents(t *testing.T) {
	const quarter = 4 << 20
	path := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data := make([]byte, quarter)
	for i := range data {
		data[i] = byte(i*7 + 1)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fallocate(int(f.Fd()), 0, quarter, quarter); err != nil {
		t.Skip("fallocate: ", err)
	}
	if err := f.Truncate(4 * quarter); err != nil {
		t.Fatal(err)
	}
	target := result.Target{Path: path, FD: int(f.Fd())}
	e, err := FileExtents(&target, 4*quarter)
	if err != nil {
		t.Skip(err)
	}
	if e.Bytes != 4*quarter || e.Hole != 2*quarter || e.Unwritten != quarter || e.Count < 2 {
		t.Errorf("%+v, want %d bytes in holes and %d never written", e, 2*quarter, quarter)
	}
	if e, err := FileExtents(&target, quarter); err != nil || e.Hole != 0 || e.Unwritten != 0 {
		t.Errorf("of the data alone: %+v, %v", e, err)
	}
}

func TestExtentsOfWhatHasNone(t *testing.T) {
	fd, err := unix.Open("/proc/self/status", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if e, err := FileExtents(&result.Target{FD: fd}, 4096); err == nil {
		t.Errorf("%+v", e)
	}
}

// More extents than are looked at: every second block of a file is a hole.
func TestTooManyExtents(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const bs = 4096
	const n = maxExtents + 10
	for i := range int64(n) {
		if _, err := f.WriteAt([]byte{1}, 2*i*bs); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	target := result.Target{FD: int(f.Fd())}
	if _, err := FileExtents(&target, bs); err != nil {
		t.Skip(err)
	}
	if e, err := FileExtents(&target, 2*n*bs); err != ErrTooManyExtents {
		t.Errorf("%+v, %v", e, err)
	}
}
