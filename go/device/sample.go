package device

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Samples is what some reads at random blocks of a target returned.
type Samples struct {
	Blocks   int // that were read, no two of them the same
	Distinct int // different contents among them
	Zeros    int // of Blocks: those that hold only zeros
}

const (
	sampleBlocks   = 32
	sampleMaxBytes = 64 << 10 // of a block; what is longer is judged by its beginning
)

// Sample reads up to 32 random blocks of a target, or all when it has fewer,
// until the deadline passes; it reads, and nothing else. Of a namespace's
// character device it opens the block device of the same namespace, which the
// user must be allowed to read. A read that hangs is not interrupted: call it
// where that can be left behind.
func Sample(t *result.Target, bs int64, seed uint64, deadline time.Time, root string) (Samples, error) {
	fd, n := t.FD, min(bs, sampleMaxBytes)
	if t.Kind == result.KindGeneric {
		twin, err := openTwin(t, root)
		if err != nil {
			return Samples{}, err
		}
		defer unix.Close(twin)
		fd = twin
	}
	// Mapped, since O_DIRECT wants it aligned.
	buf, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return Samples{}, fmt.Errorf("allocate a buffer of %d bytes: %w", n, err)
	}
	defer unix.Munmap(buf)

	var s Samples
	seen := map[uint64]bool{}
	hash := maphash.MakeSeed()
	zero := make([]byte, n)
	for _, block := range pickBlocks(t.Blocks, seed) {
		if time.Now().After(deadline) {
			break
		}
		got := 0
		err := retry(func() (err error) {
			got, err = unix.Pread(fd, buf, block*bs)
			return err
		})
		if err == nil && got < len(buf) {
			err = fmt.Errorf("only %d bytes came back", got)
		}
		if err != nil {
			return s, fmt.Errorf("read %d bytes at %d: %w", n, block*bs, err)
		}
		s.Blocks++
		seen[maphash.Bytes(hash, buf)] = true
		if bytes.Equal(buf, zero) {
			s.Zeros++
		}
	}
	s.Distinct = len(seen)
	return s, nil
}

// pickBlocks chooses some of n blocks, each at most once.
func pickBlocks(n int64, seed uint64) []int64 {
	random := rand.New(rand.NewPCG(seed, 0))
	if n <= sampleBlocks {
		var all []int64
		for _, i := range random.Perm(int(max(n, 0))) {
			all = append(all, int64(i))
		}
		return all
	}
	picked := map[int64]bool{}
	var out []int64
	for len(out) < sampleBlocks {
		if i := random.Int64N(n); !picked[i] {
			picked[i] = true
			out = append(out, i)
		}
	}
	return out
}

// openTwin opens the block device of a namespace, and makes sure of it by its
// number, since anybody may name a node /dev/nvme0n1.
func openTwin(t *result.Target, root string) (int, error) {
	if t.Disk == "" {
		return -1, fmt.Errorf("the namespace has no block device to read it through")
	}
	path := "/dev/" + t.Disk
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_DIRECT, 0)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("look at %s: %w", path, err)
	}
	b, err := sysfs.At(root).BlockNamed(t.Disk)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK || sysfs.MakeDev(uint64(st.Rdev)).String() != b.Dev.Value {
		unix.Close(fd)
		return -1, fmt.Errorf("%s is not the block device of that namespace", path)
	}
	return fd, nil
}
