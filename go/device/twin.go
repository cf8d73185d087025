package device

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// place is what will be opened: the path that was given, or its twin.
type place struct {
	path string
	st   unix.Stat_t // before it is opened
	kind result.TargetKind
}

// locate finds out what is at the path, and refuses what cannot be read in the
// way that the options ask for. A namespace's block device and its character
// device are twins: passthrough needs the latter, everything else the former.
// The twin is named, or taken when the options say so.
func locate(path string, o Options, tree sysfs.Tree) (place, error) {
	p := place{path: path}
	if err := retry(func() error { return unix.Stat(path, &p.st) }); err != nil {
		return p, statError(path, err)
	}
	var err error
	if p.kind, err = kindOf(path, &p.st, tree); err != nil {
		return p, err
	}
	switch {
	case o.Passthrough == (p.kind == result.KindGeneric):
		return p, nil
	case o.Passthrough:
		return genericTwin(p, o, tree)
	default:
		return blockTwin(p, o, tree)
	}
}

// genericTwin goes from a block device to the character device.
func genericTwin(p place, o Options, tree sysfs.Tree) (place, error) {
	name := display(p.path)
	b, err := tree.Block(sysfs.MakeDev(uint64(p.st.Rdev)))
	if p.kind != result.KindBlock || err != nil || !isNVMe(b) {
		what := "a regular file"
		if p.kind == result.KindBlock {
			what = "a block device that is no NVMe namespace"
		}
		return p, result.Errorf(result.StatusUsage,
			"%s is %s, and passthrough (-u1) reads NVMe namespaces through /dev/ngXnY only; leave -u1 out for it", name, what)
	}
	g := tree.GenericOf(b)
	switch {
	case g == nil:
		return p, result.Errorf(result.StatusSetup,
			"%s has no character device /dev/ngXnY to pass commands through; it needs kernel 5.13, and passthrough by io_uring 5.19: leave -u1 out", name)
	case b.Partition:
		return p, result.Errorf(result.StatusUsage,
			"%s is a partition and has no character device of its own; passthrough (-u1) reads the whole namespace, through %s",
			name, display(nodeOf(g.Name, p.path)))
	}
	twin := twinOf(g.Name, g.Dev, p.path, unix.S_IFCHR)
	if !o.Follow {
		return p, result.Errorf(result.StatusUsage,
			"%s is the block device; passthrough (-u1) goes through %s: use that, or --follow", name, display(twin.path))
	}
	twin.kind = result.KindGeneric
	return follow(p, twin, g.Dev)
}

// blockTwin goes from a character device to the block device.
func blockTwin(p place, o Options, tree sysfs.Tree) (place, error) {
	name := display(p.path)
	g, err := tree.Generic(sysfs.MakeDev(uint64(p.st.Rdev)))
	if err != nil {
		return p, result.Errorf(result.StatusSetup, "%s: its block device cannot be found: %w", name, err)
	}
	if b := g.Block; b == nil || !b.Dev.OK() || b.SizeBytes.OK() && b.SizeBytes.Value == 0 {
		return p, result.Errorf(result.StatusUsage,
			"%s is the character device of an NVMe namespace that has no usable block device, because of its format; it takes passthrough only (-u1)", name)
	}
	twin := twinOf(g.Block.Name, g.Block.Dev, p.path, unix.S_IFBLK)
	if !o.Follow {
		return p, result.Errorf(result.StatusUsage,
			"%s is the character device, which takes passthrough only (-u1); the block device is %s: use that, or --follow", name, display(twin.path))
	}
	twin.kind = result.KindBlock
	return follow(p, twin, g.Block.Dev)
}

// follow takes the twin, if its node is there.
func follow(p, twin place, dev sysfs.Text) (place, error) {
	if twin.st.Mode == 0 {
		return p, result.Errorf(result.StatusSetup,
			"%s leads to %s, but there is no node of device %s by that name; udev has not made it", display(p.path), display(twin.path), dev.Value)
	}
	return twin, nil
}

// nodeOf is where the node of a device by that name is to be expected: beside
// the one that was named, or in /dev.
func nodeOf(name, beside string) string { return twinOf(name, sysfs.Text{}, beside, 0).path }

// twinOf finds the node of a device, by its number where that is known. st
// stays empty when there is no such node; then the path is the usual one.
func twinOf(name string, dev sysfs.Text, beside string, format uint32) place {
	if r := resolved(beside); r != "" {
		beside = r
	}
	for _, dir := range []string{filepath.Dir(beside), "/dev"} {
		p := place{path: filepath.Join(dir, name)}
		err := retry(func() error { return unix.Stat(p.path, &p.st) })
		if err == nil && (!dev.OK() || p.st.Mode&unix.S_IFMT == format && sysfs.MakeDev(uint64(p.st.Rdev)).String() == dev.Value) {
			return p
		}
	}
	return place{path: "/dev/" + name}
}

// charDevice tells the two character devices of NVMe from all others, by
// their class in sysfs. Where sysfs knows nothing of the device, by name.
func charDevice(path string, st *unix.Stat_t, tree sysfs.Tree) (result.TargetKind, error) {
	name, dev := display(path), sysfs.MakeDev(uint64(st.Rdev))
	c, err := tree.Char(dev)
	switch {
	case err == nil && c.Class == sysfs.ClassGeneric:
		return result.KindGeneric, nil
	case err == nil && c.Class == sysfs.ClassController:
		return "", controller(path, dev, tree)
	case err != nil && isGenericName(path):
		return "", result.Errorf(result.StatusSetup,
			"%s has the name of an NVMe character device, but sysfs knows no device %s; is /sys mounted?", name, dev)
	}
	return "", result.Errorf(result.StatusSetup, "%s is a character device; a target is %s", name, targetsAre)
}

func isGenericName(path string) bool {
	if r := resolved(path); r != "" {
		path = r
	}
	var x, y int
	base := filepath.Base(path)
	n, err := fmt.Sscanf(base, "ng%dn%d", &x, &y)
	return err == nil && n == 2 && base == fmt.Sprintf("ng%dn%d", x, y)
}

// controller refuses one and lists what can be read instead.
func controller(path string, dev sysfs.Dev, tree sysfs.Tree) error {
	c, err := tree.Controller(dev)
	if err != nil {
		return result.Errorf(result.StatusSetup, "%s is an NVMe controller; name a namespace of it: %w", display(path), err)
	}
	var options []string
	if len(c.Blocks) > 0 {
		options = append(options, strings.Join(nodes(c.Blocks), ", "))
	}
	if len(c.Generics) > 0 {
		options = append(options, strings.Join(nodes(c.Generics), ", ")+" for passthrough (-u1)")
	}
	if len(options) == 0 {
		return result.Errorf(result.StatusSetup, "%s is an NVMe controller, and has no namespaces", display(path))
	}
	return result.Errorf(result.StatusSetup, "%s is an NVMe controller; name a namespace of it: %s", display(path), strings.Join(options, "; "))
}

func nodes(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "/dev/" + n
	}
	return out
}

// openGeneric opens for reading and with no further flag: reads need no more
// since kernel 6.2, and O_DIRECT has no meaning for commands.
func openGeneric(path string) (fd int, err error) {
	err = retry(func() error {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		return err
	})
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.EACCES):
		return -1, result.Errorf(result.StatusSetup,
			"%s may not be read by this user; run as root, or from kernel 6.2 on let this user read the node (chmod, a udev rule): %w", display(path), err)
	}
	return -1, openError(path, result.KindBlock, err)
}
