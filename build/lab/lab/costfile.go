package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// costHeader is what the figures depend on beside our own sources: the same sources with another of these give others.
type costHeader struct {
	kernel   string // name and version of its package
	compiler string
	emulator string // -cpu max of another QEMU has other features, and the kernel other code for them
}

func (h costHeader) lines() []string {
	return []string{"kernel: " + h.kernel, "compiler: " + h.compiler, "emulator: " + h.emulator}
}

// differences says in what the two differ.
func (h costHeader) differences(kept costHeader) []string {
	var out []string
	now, then := h.lines(), kept.lines()
	for i := range now {
		if now[i] != then[i] {
			_, was, _ := strings.Cut(then[i], ": ")
			out = append(out, fmt.Sprintf("%s (kept: %s)", now[i], was))
		}
	}
	return out
}

func (l *lab) costHeader(ctx context.Context) (costHeader, error) {
	h := costHeader{kernel: l.release + " " + l.version}
	for _, v := range []struct {
		into     *string
		variable string
		argv     []string
	}{
		{&h.compiler, "CC", []string{"gcc", "--version"}},
		{&h.emulator, "", []string{qemu, "--version"}},
	} {
		if set := os.Getenv(v.variable); v.variable != "" && set != "" {
			v.argv = append(strings.Fields(set), v.argv[1])
		}
		out, err := exec.CommandContext(ctx, v.argv[0], v.argv[1:]...).Output()
		if err != nil {
			return h, fmt.Errorf("version of %s: %w", v.argv[0], err)
		}
		*v.into, _, _ = strings.Cut(string(out), "\n")
	}
	return h, nil
}

// kept are the figures of the last release: "nop-s1 ringpeak", "nop-s1 bare".
type kept struct {
	header  costHeader
	figures map[string]float64
}

// readKept returns an empty one when the file is not there yet.
func readKept(file string) (*kept, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &kept{figures: map[string]float64{}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	k, err := parseKept(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return k, nil
}

func parseKept(r io.Reader) (*kept, error) {
	k := &kept{figures: map[string]float64{}}
	head := map[string]*string{
		"kernel": &k.header.kernel, "compiler": &k.header.compiler, "emulator": &k.header.emulator,
	}
	s := bufio.NewScanner(r)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if comment, ok := strings.CutPrefix(line, "#"); ok {
			key, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
			if into := head[key]; into != nil {
				*into = value
			}
			continue
		}
		if line == "" {
			continue
		}
		fields := strings.Fields(line)
		value, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if len(fields) != 3 || err != nil || value <= 0 {
			return nil, fmt.Errorf("line %d is not \"ROW PROGRAM INSTRUCTIONS\": %q", n, line)
		}
		k.figures[fields[0]+" "+fields[1]] = value
	}
	return k, s.Err()
}

const keptHead = `# Instructions per I/O, kernel and user space together, measured by make cost in the lab's guest.
# Written by make cost UPDATE=1, in the commit that changes them. They hold for:
`

// writeKept replaces the file whole, by name, so that an interrupted run leaves the old one.
func writeKept(file string, t *costTable) error {
	var b strings.Builder
	b.WriteString(keptHead)
	for _, l := range t.header.lines() {
		fmt.Fprintf(&b, "# %s\n", l)
	}
	b.WriteString("\n")
	for _, r := range costRows {
		if r.rough {
			continue
		}
		for _, program := range []string{ours, bare} {
			if runs := t.runs[r.name+" "+program]; len(runs) > 0 {
				fmt.Fprintf(&b, "%s %s %.1f\n", r.name, program, median(runs))
			}
		}
	}
	tmp := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+"."+strconv.Itoa(os.Getpid()))
	if err := os.WriteFile(tmp, []byte(b.String()), 0o644); err != nil {
		return err
	}
	if err := os.Rename(tmp, file); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return nil
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
