package sysfs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// Mount is a line of /proc/self/mountinfo (proc(5)).
type Mount struct {
	ID     int
	Dev    string // "254:0" of the super block; 0:N without a block device
	Root   string // what of the file system is mounted; "/" is all of it
	Point  string
	FSType string // as the kernel says: ext4, fuse.sshfs
	Source string // as it was mounted: a device, or any word
	// Options are those of the super block: of a cgroup mount of version 1,
	// its controllers are among them.
	Options []string
}

// Mounts reads /proc/self/mountinfo.
func (t Tree) Mounts() ([]Mount, error) {
	f, err := os.Open(t.path("proc/self/mountinfo"))
	if err != nil {
		return nil, fmt.Errorf("read mounts: %w", err)
	}
	defer f.Close()
	return ParseMountInfo(f)
}

// ParseMountInfo parses the format of /proc/self/mountinfo.
func ParseMountInfo(r io.Reader) ([]Mount, error) {
	var out []Mount
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "" {
			continue
		}
		m, err := parseMount(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("parse mountinfo line %q: %w", lines.Text(), err)
		}
		out = append(out, m)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read mountinfo: %w", err)
	}
	return out, nil
}

// parseMount splits "ID PARENT MAJ:MIN ROOT POINT OPTIONS [FIELD…] - TYPE SOURCE OPTIONS".
func parseMount(line string) (Mount, error) {
	before, after, ok := strings.Cut(line, " - ")
	left, right := strings.Fields(before), strings.Split(after, " ")
	if !ok || len(left) < 6 || len(right) < 2 {
		return Mount{}, fmt.Errorf("too few fields")
	}
	id, err := strconv.Atoi(left[0])
	if err != nil {
		return Mount{}, fmt.Errorf("mount ID: %w", err)
	}
	m := Mount{
		ID:     id,
		Dev:    left[2],
		Root:   unescape(left[3]),
		Point:  unescape(left[4]),
		FSType: unescape(right[0]),
		Source: unescape(right[1]),
	}
	if len(right) > 2 {
		m.Options = strings.Split(unescape(right[2]), ",")
	}
	return m, nil
}

// unescape undoes the kernel's \ooo for blank, tab, newline and backslash.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
