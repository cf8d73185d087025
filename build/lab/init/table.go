package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/tabwriter"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

// printTable lists the plan's devices, each opened and read once. A planned device that is missing is an error.
func printTable(w io.Writer, p *plan.Plan) error {
	fmt.Fprintf(w, "Linux %s\n", readString("/proc/sys/kernel/osrelease"))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "name\tnode\tchar\tLBA\tmetadata\tMiB\tio_poll\tqueues\ttags\tmax KiB\tread")
	var missing []string
	for _, d := range p.Devices {
		target, err := os.Readlink(plan.Dir + d.Name)
		if err != nil {
			missing = append(missing, d.Name)
			fmt.Fprintf(t, "%s\t-\n", d.Name)
			continue
		}
		fmt.Fprintln(t, strings.Join(row(d, filepath.Base(target)), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing: %s", strings.Join(missing, ", "))
	}
	return nil
}

func row(d plan.Device, node string) []string {
	sys := "/sys/block/" + node + "/"
	char := "-"
	if target, err := os.Readlink(plan.Dir + d.Name + "-char"); err == nil {
		char = filepath.Base(target)
	}
	lba, meta := readString(sys+"queue/logical_block_size"), "-"
	if d.Kind == "nvme" {
		f, err := identify(node)
		if err != nil {
			meta = err.Error()
		} else {
			lba, meta = fmt.Sprint(f.lba), f.String()
		}
	}
	size, read := probe("/dev/" + node)
	return []string{
		d.Name, node, char, lba, meta, fmt.Sprint(size >> 20), or(readString(sys+"queue/io_poll"), "?"),
		queues(node), or(readString(sys+"mq/0/nr_tags"), "-"), readString(sys + "queue/max_sectors_kb"), read,
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// queues counts hardware queues by what they are for: "2 default, 2 poll".
func queues(node string) string {
	files, _ := filepath.Glob("/sys/kernel/debug/block/" + node + "/hctx*/type")
	count := map[string]int{}
	for _, f := range files {
		count[readString(f)]++
	}
	if len(count) == 0 {
		return "-"
	}
	var out []string
	for kind, n := range count {
		out = append(out, fmt.Sprintf("%d %s", n, kind))
	}
	sort.Slice(out, func(i, j int) bool { return out[i][strings.Index(out[i], " "):] < out[j][strings.Index(out[j], " "):] })
	return strings.Join(out, ", ")
}

// probe opens a device for direct reads and reads its first 4096 bytes.
func probe(path string) (size int64, read string) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, "open: " + err.Error()
	}
	defer unix.Close(fd)
	size, err = unix.Seek(fd, 0, io.SeekEnd)
	if err != nil {
		return 0, "seek: " + err.Error()
	}
	buf, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return size, "mmap: " + err.Error()
	}
	defer func() { _ = unix.Munmap(buf) }()
	n, err := unix.Pread(fd, buf, 0)
	var errno unix.Errno
	switch {
	case errors.As(err, &errno):
		return size, unix.ErrnoName(errno)
	case n != len(buf):
		return size, fmt.Sprintf("%d bytes", n)
	}
	return size, "ok"
}
