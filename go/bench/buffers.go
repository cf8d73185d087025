package bench

import (
	"math/bits"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

const pageBytes = 4096

// shareBytes is the memory for I/O buffers of one submitter: a buffer per
// slot, slots being the next power of two, as csrc/buffers.c lays them out.
func (r *run) shareBytes() int64 {
	s := &r.Spec
	if !s.NeedsTarget() {
		return 0
	}
	slots := s.Depth
	for _, p := range r.res.Placements {
		slots = max(slots, len(p.Targets))
	}
	slots = 1 << bits.Len(uint(slots-1))
	stride := int64(512)
	transfer := s.BlockSize
	for i := range r.res.Targets {
		transfer = max(transfer, r.res.Targets[i].TransferBytes(s.BlockSize))
	}
	for stride < min(transfer, pageBytes) {
		stride *= 2
	}
	if transfer > pageBytes {
		stride = (transfer + pageBytes - 1) / pageBytes * pageBytes
	}
	return stride * int64(slots)
}

// checkMemory refuses buffers that the machine cannot hold before they are
// touched: the kernel would overcommit, then kill something.
func (r *run) checkMemory() error {
	need := r.shareBytes() * int64(r.Spec.Threads)
	have := r.System.MemAvailable
	if have == 0 || r.Spec.HugeFile != "" || need <= have/10*9 {
		return nil
	}
	return result.Errorf(result.StatusSetup,
		"the I/O buffers need %d MiB (%d submitters x depth %d x %d bytes) and %d MiB of memory are available: lower -d, -b or -n",
		need>>20, r.Spec.Threads, r.Spec.Depth, r.Spec.BlockSize, have>>20)
}

// hugeFile is an open hugetlbfs file that holds all buffers; nil is none.
type hugeFile struct {
	fd    int
	share int64
}

// openHugeFile opens the file of -H and checks that every submitter's share
// fits into it.
func openHugeFile(s *result.Spec, bytes int64) (*hugeFile, error) {
	if s.HugeFile == "" || bytes == 0 {
		return nil, nil
	}
	fd, err := unix.Open(s.HugeFile, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, result.Errorf(result.StatusSetup, "open %s for the I/O buffers: %w", s.HugeFile, err)
	}
	var st unix.Stat_t
	var fs unix.Statfs_t
	if err = unix.Fstat(fd, &st); err == nil {
		err = unix.Fstatfs(fd, &fs)
	}
	switch {
	case err != nil:
		err = result.Errorf(result.StatusSetup, "look at %s: %w", s.HugeFile, err)
	case int64(fs.Type) != unix.HUGETLBFS_MAGIC:
		err = result.Errorf(result.StatusUsage, "%s is not on a hugetlbfs file system: -H takes a file on one", s.HugeFile)
	default:
		if need := bytes * int64(s.Threads); st.Size < need {
			err = result.Errorf(result.StatusUsage,
				"%s has %d bytes and the I/O buffers of %d submitters need %d: make it larger", s.HugeFile, st.Size, s.Threads, need)
		}
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &hugeFile{fd: fd, share: bytes}, nil
}

// FD is the descriptor, -1 when there is no file.
func (h *hugeFile) FD() int {
	if h == nil {
		return -1
	}
	return h.fd
}

// Share is the bytes from one submitter's buffers to the next one's.
func (h *hugeFile) Share() int64 {
	if h == nil {
		return 0
	}
	return h.share
}

// Close closes the file once.
func (h *hugeFile) Close() {
	if h != nil && h.fd >= 0 {
		unix.Close(h.fd)
		h.fd = -1
	}
}
