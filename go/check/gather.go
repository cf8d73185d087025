package check

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/device"
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Look reads what the disks below the targets have counted: two small files a
// disk. root holds /sys and /proc; "" is the running system's.
func Look(targets []result.Target, root string) Moment {
	tree, m := sysfs.At(root), Moment{}
	for i := range targets {
		for _, d := range disksOf(&targets[i]) {
			if _, done := m[d]; !done {
				on, passthrough := tree.IOStats(d)
				m[d] = DiskMoment{tree.Stat(d), on, passthrough}
			}
		}
	}
	return m
}

// Gather reads what does not change during a run, and so may be read after it:
// the disks, the topology, the kernel, and unless calm is false what the
// targets hold. A run that ended with I/O errors or a hung device is not calm;
// its targets are left alone.
func (e *Evidence) Gather(root string, calm bool) {
	tree, r := sysfs.At(root), e.Result
	e.Disks = map[string]*Disk{}
	for i := range r.Targets {
		for _, name := range disksOf(&r.Targets[i]) {
			if e.Disks[name] == nil {
				e.addDisk(name, tree)
			}
		}
	}
	e.Siblings = map[int][]int{}
	for i := range r.Placements {
		cpu := r.Placements[i].CPU
		if cpu < 0 {
			continue
		}
		if c := tree.CPUs([]int{cpu})[0]; c.Siblings.OK() {
			e.Siblings[cpu] = c.Siblings.Value
		}
	}
	e.Kernel = Kernel{Config: tree.KernelConfig(r.System.Kernel), Debugging: tree.Debugging()}
	e.Contents = readContents(r, root, calm)
}

// addDisk adds the disk of that name, and the paths below the head of a
// multipath device.
func (e *Evidence) addDisk(name string, tree sysfs.Tree) {
	b, err := tree.BlockNamed(name)
	if err != nil {
		return
	}
	d := newDisk(b, tree)
	for _, p := range b.Paths {
		d.Paths = append(d.Paths, p.Disk)
		e.Disks[p.Disk] = newDisk(p, tree)
	}
	e.Disks[name] = d
}

func newDisk(b *sysfs.Block, tree sysfs.Tree) *Disk {
	d := &Disk{Block: b, Owner: device.QueueDevice(b), Queues: device.ReadQueues(b, tree), Loop: tree.Loop(b.Disk)}
	if d.Loop.BackingFile.OK() {
		d.BackingFS = fsOf(d.Loop.BackingFile.Value, tree)
	}
	return d
}

// fsOf is the type of the file system that a path is on, by the longest mount
// point that it begins with; "" when unknown.
func fsOf(path string, tree sysfs.Tree) string {
	mounts, _ := tree.Mounts()
	fs, longest := "", 0
	for _, m := range mounts {
		point := strings.TrimSuffix(filepath.Clean(m.Point), "/") + "/"
		if n := len(point); n >= longest && strings.HasPrefix(path, point) {
			fs, longest = m.FSType, n // of two on one point, the later one is on top
		}
	}
	return fs
}

// contentsLimit bounds what looking at the targets' data may take.
const contentsLimit = 200 * time.Millisecond

var errContentsLate = errors.New("that took too long")

// readContents looks at all targets at once, each on a goroutine of its own,
// which is left behind if the device does not answer in time.
func readContents(r *result.Result, root string, calm bool) []Contents {
	out := make([]Contents, len(r.Targets))
	for i := range out {
		out[i].Used, out[i].Size = namespaceUse(&r.Targets[i], root)
	}
	if !calm {
		return out
	}
	deadline := time.Now().Add(contentsLimit * 3 / 4) // a disk's last read takes its time too
	answers := make(chan answer, len(out))
	asked := 0
	for i := range out {
		t := r.Targets[i] // a copy, with a descriptor of its own: the original may be closed first
		if t.FD, out[i].SamplesErr = unix.FcntlInt(uintptr(t.FD), unix.F_DUPFD_CLOEXEC, 0); out[i].SamplesErr != nil {
			out[i].ExtentsErr = out[i].SamplesErr
			continue
		}
		asked++
		out[i].ExtentsErr, out[i].SamplesErr = errContentsLate, errContentsLate
		go func() {
			c := lookInto(&t, &r.Spec, deadline, root)
			_ = device.Close(&t)
			answers <- answer{i, c}
		}()
	}
	return collect(asked, out, answers, time.After(contentsLimit))
}

// answer is what was found in a target.
type answer struct {
	target int
	Contents
}

// collect enters so many answers, or those that come in time.
func collect(asked int, out []Contents, answers <-chan answer, late <-chan time.Time) []Contents {
	for range asked {
		select {
		case a := <-answers:
			c := &out[a.target]
			c.Extents, c.ExtentsErr, c.Samples, c.SamplesErr = a.Extents, a.ExtentsErr, a.Samples, a.SamplesErr
		case <-late:
			return out
		}
	}
	return out
}

func lookInto(t *result.Target, s *result.Spec, deadline time.Time, root string) Contents {
	var c Contents
	if t.Kind == result.KindFile {
		x, err := device.FileExtents(t, t.Blocks*s.BlockSize)
		if c.ExtentsErr = err; err == nil {
			c.Extents = &x
		}
	}
	samples, err := device.Sample(t, s.BlockSize, s.Seed, deadline, root)
	if c.SamplesErr = err; err == nil {
		c.Samples = &samples
	}
	return c
}

// namespaceUse is NUSE and NSZE of a namespace, nil when not known.
func namespaceUse(t *result.Target, root string) (used, of result.OptInt) {
	if t.Kind == result.KindGeneric {
		return t.NUSE, t.LBAs
	}
	if !isNamespace(t) || t.LogicalBlockBytes == nil {
		return nil, nil
	}
	tree := sysfs.At(root)
	b, err := tree.BlockNamed(t.Disk)
	if err != nil || !b.SizeBytes.OK() {
		return nil, nil
	}
	lbas := b.SizeBytes.Value / *t.LogicalBlockBytes
	return tree.Namespace(b).NUSE.Ptr(), &lbas
}
