package sysfs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Interrupts is /proc/interrupts at one moment.
type Interrupts struct {
	CPUs  []int // the columns: online CPUs
	Lines []Interrupt
}

// Interrupt is a line that has an interrupt number. (Those without, such as
// LOC and NMI, are of the machine, not of a device.)
type Interrupt struct {
	IRQ     int
	Counts  []uint32 // since boot, per CPU of Interrupts.CPUs; 32 bits in the kernel, and they wrap
	Actions []string // handlers; several where the line is shared: "nvme0q0", "nvme0q1"
}

// Interrupts reads /proc/interrupts.
func (t Tree) Interrupts() (*Interrupts, error) {
	f, err := os.Open(t.path("proc/interrupts"))
	if err != nil {
		return nil, fmt.Errorf("read interrupts: %w", err)
	}
	defer f.Close()
	return ParseInterrupts(f)
}

// ParseInterrupts parses the format of /proc/interrupts (proc(5)).
func ParseInterrupts(r io.Reader) (*Interrupts, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20) // 11 characters for each of up to 8192 CPUs, and more
	in := &Interrupts{}
	if !lines.Scan() {
		return nil, errors.Join(errors.New("parse interrupts: no line of CPUs"), lines.Err())
	}
	for _, word := range strings.Fields(lines.Text()) {
		digits, ok := strings.CutPrefix(word, "CPU")
		cpu, err := parseCPU(digits)
		if !ok || err != nil {
			return nil, fmt.Errorf("parse interrupts: %q is not a column of a CPU", word)
		}
		in.CPUs = append(in.CPUs, cpu)
	}
	if len(in.CPUs) == 0 {
		return nil, errors.New("parse interrupts: no columns of CPUs")
	}
	for lines.Scan() {
		label, rest, ok := strings.Cut(lines.Text(), ":")
		irq, err := strconv.Atoi(strings.TrimSpace(label))
		if !ok || err != nil {
			continue
		}
		line, err := parseInterrupt(rest, len(in.CPUs))
		if err != nil {
			return nil, fmt.Errorf("parse interrupts line %d: %w", irq, err)
		}
		line.IRQ = irq
		in.Lines = append(in.Lines, line)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read interrupts: %w", err)
	}
	return in, nil
}

// parseInterrupt splits what follows the number: a count per CPU, the chip and
// its own number for the line, and behind at least two blanks the handlers.
func parseInterrupt(s string, cpus int) (Interrupt, error) {
	var out Interrupt
	for range cpus {
		word, rest, _ := strings.Cut(strings.TrimLeft(s, " "), " ")
		n, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return out, fmt.Errorf("%q is not a count", word)
		}
		out.Counts = append(out.Counts, uint32(n))
		s = rest
	}
	s = strings.TrimRight(s, " ")
	if at := strings.LastIndex(s, "  "); at >= 0 {
		out.Actions = strings.Split(s[at+2:], ", ")
	}
	return out, nil
}

// isQueue says whether a handler is that of an I/O queue of owner: nvme0q1 and
// up of nvme0 (nvme0q0 is the admin queue), virtio1-req.0 of virtio1. Polled
// queues have no handler at all.
func isQueue(action, owner string) bool {
	rest, ok := strings.CutPrefix(action, owner)
	if !ok {
		return false
	}
	if n, ok := strings.CutPrefix(rest, "q"); ok {
		return isNumber(n) && n != "0"
	}
	n, ok := strings.CutPrefix(rest, "-req.")
	return ok && isNumber(n)
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

// Queues counts the I/O queues of owner (a controller nvme0, a virtio device
// virtio1) that interrupt. known is false when the list does not name its
// queues: the driver uses other names, one interrupt for all, or none.
func (in *Interrupts) Queues(owner string) (n int, known bool) {
	for _, l := range in.Lines {
		for _, a := range l.Actions {
			switch {
			case isQueue(a, owner):
				n++
				known = true
			case a == owner+"q0":
				known = true // a controller all of whose queues are polled
			}
		}
	}
	return n, known
}

// Since counts the interrupts of the I/O queues of owner since an earlier
// reading, on the CPUs that are in both, with counters that wrapped taken
// right. lines is how many lines of it there are; a line that is shared with
// the admin queue counts in full.
func (in *Interrupts) Since(before *Interrupts, owner string) (n uint64, lines int) {
	for _, l := range in.Lines {
		if !slices.ContainsFunc(l.Actions, func(a string) bool { return isQueue(a, owner) }) {
			continue
		}
		lines++
		at := slices.IndexFunc(before.Lines, func(b Interrupt) bool { return b.IRQ == l.IRQ })
		if at < 0 {
			continue
		}
		for i, cpu := range in.CPUs {
			if j := slices.Index(before.CPUs, cpu); j >= 0 {
				n += uint64(l.Counts[i] - before.Lines[at].Counts[j])
			}
		}
	}
	return n, lines
}
