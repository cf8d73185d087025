package sysfs

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// SoftIRQs is /proc/softirqs at one moment: by name (BLOCK, TIMER, …) the
// count of each possible CPU since boot; 32 bits in the kernel, and they wrap.
type SoftIRQs map[string][]uint32

// SoftIRQs reads /proc/softirqs.
func (t Tree) SoftIRQs() (SoftIRQs, error) {
	b, err := os.ReadFile(t.path("proc/softirqs"))
	if err != nil {
		return nil, fmt.Errorf("read softirqs: %w", err)
	}
	return ParseSoftIRQs(string(b))
}

// ParseSoftIRQs parses the format of /proc/softirqs (proc(5)).
func ParseSoftIRQs(text string) (SoftIRQs, error) {
	out := SoftIRQs{}
	for line := range strings.Lines(text) {
		name, counts, ok := strings.Cut(line, ":")
		if !ok {
			continue // the headline
		}
		name = strings.TrimSpace(name)
		for _, word := range strings.Fields(counts) {
			n, err := strconv.ParseUint(word, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("parse softirqs of %s: %w", name, err)
			}
			out[name] = append(out[name], uint32(n))
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("parse softirqs: none")
	}
	return out, nil
}

// Since counts the softirqs of a name since an earlier reading, on all CPUs,
// with counters that wrapped taken right.
func (s SoftIRQs) Since(before SoftIRQs, name string) uint64 {
	var n uint64
	was := before[name]
	for i, now := range s[name] {
		if i < len(was) {
			n += uint64(now - was[i])
		}
	}
	return n
}

// AllSince is the sum of Since over all names.
func (s SoftIRQs) AllSince(before SoftIRQs) uint64 {
	var n uint64
	for name := range s {
		n += s.Since(before, name)
	}
	return n
}
