package device

import (
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// Extents says what a file has on its medium, of the range that a run reads.
// Bytes = Hole + Unwritten + data.
type Extents struct {
	Bytes     int64 // length of the range, from the file's beginning
	Hole      int64 // bytes of it that have no blocks
	Unwritten int64 // bytes that have blocks which were never written (FIEMAP_EXTENT_UNWRITTEN)
	Count     int   // extents that were looked at
}

// The interface of FS_IOC_FIEMAP, <linux/fiemap.h>.
const (
	fsIocFiemap     = 0xc020660b
	extentLast      = 0x1
	extentUnwritten = 0x800
	extentsPerCall  = 256
)

type fiemap struct {
	start, length                  uint64
	flags, mapped, count, reserved uint32
	extents                        [extentsPerCall]fiemapExtent
}

type fiemapExtent struct {
	logical, physical, length uint64
	reserved64                [2]uint64
	flags                     uint32
	reserved                  [3]uint32
}

// Errors of FileExtents.
var (
	ErrTooManyExtents = errors.New("it has too many extents to look at in time")
	errNoExtents      = errors.New("its file system does not list extents")
)

// FileExtents asks the file system for the extents of an open file, of those
// bytes from its beginning. It looks at up to 10000 of them, for up to 100 ms;
// a file that has more ends in ErrTooManyExtents. It does not make the file
// system write anything out first, so what is dirty may not be there yet.
func FileExtents(t *result.Target, bytes int64) (Extents, error) {
	deadline := time.Now().Add(maxHoleTime / 2)
	e := Extents{Bytes: bytes}
	covered := int64(0) // everything below it is accounted for
	for covered < bytes {
		m := fiemap{start: uint64(covered), length: uint64(bytes - covered), count: extentsPerCall}
		err := retry(func() error {
			_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(t.FD), fsIocFiemap, uintptr(unsafe.Pointer(&m)))
			if errno != 0 {
				return errno
			}
			return nil
		})
		if err != nil {
			return Extents{}, errors.Join(errNoExtents, err)
		}
		if m.mapped == 0 {
			break
		}
		for i := range m.extents[:min(m.mapped, extentsPerCall)] {
			x := &m.extents[i]
			if e.Count == maxExtents {
				return Extents{}, ErrTooManyExtents
			}
			covered = e.add(x, covered)
			if x.flags&extentLast != 0 {
				e.Hole += bytes - covered
				return e, nil
			}
		}
		if time.Now().After(deadline) {
			return Extents{}, ErrTooManyExtents
		}
	}
	e.Hole += bytes - covered
	return e, nil
}

// add accounts for an extent and for the hole in front of it; extents come in
// order. It returns where the range goes on.
func (e *Extents) add(x *fiemapExtent, covered int64) int64 {
	e.Count++
	first := min(max(int64(x.logical), covered), e.Bytes)
	end := min(max(int64(x.logical+x.length), first), e.Bytes)
	e.Hole += first - covered
	if x.flags&extentUnwritten != 0 {
		e.Unwritten += end - first
	}
	return end
}
