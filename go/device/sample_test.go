package device

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ringpeak/go/result"
)

// sampled opens a file with those contents, and samples it in blocks of 4096.
func sampled(t *testing.T, data []byte, deadline time.Time) (Samples, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := Open(path, Options{BlockSize: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer Close(target)
	return Sample(target, 4096, 42, deadline, "")
}

func TestSample(t *testing.T) {
	numbered := make([]byte, 100*4096)
	for i := range numbered {
		numbered[i] = byte(i>>12) + 1
	}
	half := slices.Clone(numbered)
	clear(half[:len(half)/2])
	for _, tt := range []struct {
		name string
		data []byte
		want func(Samples) bool
	}{
		{"all different", numbered, func(s Samples) bool { return s == Samples{Blocks: 32, Distinct: 32} }},
		{"zeros", make([]byte, 100*4096), func(s Samples) bool { return s == Samples{Blocks: 32, Distinct: 1, Zeros: 32} }},
		{"all the same", bytes.Repeat([]byte{0xff}, 100*4096), func(s Samples) bool { return s == Samples{Blocks: 32, Distinct: 1} }},
		{"half zeros", half, func(s Samples) bool { return s.Zeros > 5 && s.Zeros < 27 && s.Distinct == 33-s.Zeros }},
		{"few blocks", numbered[:5*4096], func(s Samples) bool { return s == Samples{Blocks: 5, Distinct: 5} }},
	} {
		if s, err := sampled(t, tt.data, time.Now().Add(time.Minute)); err != nil || !tt.want(s) {
			t.Errorf("%s: %+v, %v", tt.name, s, err)
		}
	}
	if s, err := sampled(t, numbered, time.Now()); err != nil || s.Blocks != 0 {
		t.Errorf("after the deadline: %+v, %v", s, err)
	}
}

func TestSampleThatFails(t *testing.T) {
	target := result.Target{FD: -1, Blocks: 10, Kind: result.KindFile}
	if _, err := Sample(&target, 4096, 1, time.Now().Add(time.Minute), ""); err == nil {
		t.Error("it read from nothing")
	}
	target.Kind = result.KindGeneric
	if _, err := Sample(&target, 4096, 1, time.Now().Add(time.Minute), ""); err == nil || !strings.Contains(err.Error(), "no block device") {
		t.Error(err)
	}
	target.Disk = "null" // /dev/null is none
	if _, err := Sample(&target, 4096, 1, time.Now().Add(time.Minute), ""); err == nil {
		t.Error("it took /dev/null for a namespace")
	}
	small := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(small, make([]byte, 3*4096), 0o600); err != nil {
		t.Fatal(err)
	}
	shrunk, err := Open(small, Options{BlockSize: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer Close(shrunk)
	if err := os.Truncate(small, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := Sample(shrunk, 4096, 1, time.Now().Add(time.Minute), ""); err == nil {
		t.Error("a file that shrank was read in full")
	}
}

func TestPickBlocks(t *testing.T) {
	for _, n := range []int64{0, 1, 31, 32, 33, 1 << 40} {
		list := pickBlocks(n, 7)
		slices.Sort(list)
		if int64(len(list)) != min(n, sampleBlocks) || len(slices.Compact(list)) != len(list) {
			t.Errorf("%d: %v", n, list)
		}
		for _, b := range list {
			if b < 0 || b >= n {
				t.Errorf("block %d of %d", b, n)
			}
		}
	}
}
