package device

import (
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// checkSize refuses a block size that cannot work, before any ring exists.
func checkSize(t *result.Target, bs int64) error {
	if t.SizeBytes <= 0 {
		return empty(t)
	}
	if t.Direct {
		if err := checkAlignment(t, bs); err != nil {
			return err
		}
	}
	if t.SizeBytes < bs {
		return result.Errorf(result.StatusUsage,
			"%s holds %d bytes, less than one block of %d; use a smaller -b or a larger target", display(t.Path), t.SizeBytes, bs)
	}
	return nil
}

func empty(t *result.Target) error {
	name := display(t.Path)
	if t.Kind == result.KindFile {
		return result.Errorf(result.StatusSetup, "%s is empty; there is nothing to read", name)
	}
	remedy := "it holds no medium"
	switch t.Driver {
	case "loop":
		remedy = "bind a file to it with losetup"
	case "zram":
		remedy = "write its size to /sys/block/" + t.Disk + "/disksize"
	case "nvme":
		remedy = "block devices cannot hold some formats with metadata, which passthrough (-u1) can read"
	}
	return result.Errorf(result.StatusSetup, "%s has a size of 0; %s", name, remedy)
}

// checkAlignment holds the block size against the unit of direct I/O. Offsets
// are multiples of the block size, so they are right when it is.
func checkAlignment(t *result.Target, bs int64) error {
	name := display(t.Path)
	if t.Kind == result.KindBlock {
		if n := t.LogicalBlockBytes; n != nil && bs%*n != 0 {
			return result.Errorf(result.StatusUsage,
				"-b%d is not a multiple of the %d-byte sectors of %s; use -b%d or a multiple", bs, *n, name, *n)
		}
		return nil
	}
	unit := t.DIOOffsetAlignBytes
	if unit == nil {
		unit = t.LogicalBlockBytes // of the disk below: the least that any file system asks for
	}
	if unit != nil && bs%*unit != 0 {
		return result.Errorf(result.StatusUsage,
			"-b%d is not a multiple of the %d bytes that direct I/O on %s is aligned to; use -b%d or a multiple, or -O0 for buffered reads",
			bs, *unit, name, *unit)
	}
	return nil
}

// Limits of the search for holes: a file may have millions of extents.
const (
	maxExtents  = 10_000
	maxHoleTime = 200 * time.Millisecond
)

// holes adds up the bytes in holes and unwritten extents (lseek(2), SEEK_HOLE),
// which are answered without asking the medium. It is nil when the file system
// cannot tell, or not soon enough.
func holes(fd int, size int64) result.OptInt {
	deadline := time.Now().Add(maxHoleTime)
	var total, at int64
	for range maxExtents {
		data, err := unix.Seek(fd, at, unix.SEEK_DATA)
		if err == unix.ENXIO || err == nil && data >= size { // no data from here on
			total += size - at
			return &total
		}
		if err != nil || data < at {
			return nil
		}
		total += data - at
		hole, err := unix.Seek(fd, data, unix.SEEK_HOLE)
		if err != nil || hole <= data {
			return nil
		}
		if hole >= size {
			return &total
		}
		at = hole
		if time.Now().After(deadline) {
			return nil
		}
	}
	return nil
}

// Notes says what the reader of the result should know about a target and a
// block size that work, but not as they might expect.
func Notes(t *result.Target, bs int64) []result.Note {
	name := display(t.Path)
	var out []result.Note
	if t.Kind == result.KindGeneric {
		return append(genericNotes(t, bs), tail(t, bs)...)
	}
	if n := t.MaxSectorsKB; n != nil && bs > *n*1024 {
		out = append(out, result.Notef("split-io",
			"%s: %s takes at most %d KiB at once, so the kernel splits each read of %d bytes; the IOPS are those of the reads, not of the device", name, t.Disk, *n, bs))
	}
	if n := t.HoleBytes; n != nil && *n > 0 {
		out = append(out, result.Notef("holes",
			"%s: %d of %d bytes are holes or were never written, and no medium serves reads of them; fill the file first", name, *n, t.SizeBytes))
	}
	if t.Kind == result.KindFile && !t.NoAtime {
		out = append(out, result.Notef("atime",
			"%s: O_NOATIME is for the owner only, so reads may update the access time", name))
	}
	return append(out, tail(t, bs)...)
}

func tail(t *result.Target, bs int64) []result.Note {
	rest := t.SizeBytes % bs
	if rest == 0 {
		return nil
	}
	return []result.Note{result.Notef("tail",
		"%s: the last %d bytes are not a whole block and are not read", display(t.Path), rest)}
}
