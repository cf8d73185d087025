package sysfs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCPU bounds what a list may name, so that a typing error does not
// allocate gigabytes. No kernel is built for more than 8192 CPUs.
const maxCPU = 1 << 16

// ParseCPUList parses the kernel's list syntax, "0-3,8", into increasing CPU
// numbers without duplicates. An empty string is an empty list.
func ParseCPUList(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		first, last, isRange := strings.Cut(part, "-")
		lo, err := parseCPU(first)
		if err != nil {
			return nil, fmt.Errorf("%q in CPU list %q: %w", part, s, err)
		}
		hi := lo
		if isRange {
			if hi, err = parseCPU(last); err != nil {
				return nil, fmt.Errorf("%q in CPU list %q: %w", part, s, err)
			}
		}
		if hi < lo {
			return nil, fmt.Errorf("%q in CPU list %q: range runs backwards", part, s)
		}
		for c := lo; c <= hi; c++ {
			cpus = append(cpus, c)
		}
		if len(cpus) > maxCPU {
			return nil, fmt.Errorf("CPU list %q names more than %d CPUs", s, maxCPU)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

func parseCPU(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a CPU number", s)
	}
	if n >= maxCPU {
		return 0, fmt.Errorf("CPU numbers end at %d", maxCPU-1)
	}
	return int(n), nil
}

// FormatCPUList is the inverse of ParseCPUList: "0-3,8". The order of cpus
// does not matter.
func FormatCPUList(cpus []int) string {
	cpus = slices.Clone(cpus)
	slices.Sort(cpus)
	cpus = slices.Compact(cpus)
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return b.String()
}
