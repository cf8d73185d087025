package sysfs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// members returns the lowest devices below disk, in the order of their names.
func (t Tree) members(b *Block, disk string, depth int) []*Block {
	var out []*Block
	seen := map[string]bool{b.Name: true}
	add := func(m *Block) {
		if !seen[m.Name] {
			seen[m.Name] = true
			out = append(out, m)
		}
	}
	for _, name := range readNames(filepath.Join(disk, "slaves")) {
		m, err := t.blockAt(filepath.Join(disk, "slaves", name), depth+1)
		if err != nil {
			continue
		}
		if len(m.Members) == 0 {
			add(m)
			continue
		}
		for _, lower := range m.Members {
			add(lower)
		}
	}
	return out
}

var nvmeHead = regexp.MustCompile(`^nvme(\d+)n(\d+)$`)

// nvmePaths returns what is below a multipath head: its device link leads to
// the subsystem, which has a link to each controller, which holds the hidden
// disk nvme<head>c<controller>n<namespace>. A disk without multipath hangs
// directly on its controller and has none.
func (t Tree) nvmePaths(name, disk string, depth int) []*Block {
	head := nvmeHead.FindStringSubmatch(name)
	if head == nil {
		return nil
	}
	path := regexp.MustCompile(`^nvme` + head[1] + `c\d+n` + head[2] + `$`)
	subsystem := filepath.Join(disk, "device")
	var out []*Block
	for _, ctrl := range readNames(subsystem) {
		if !strings.HasPrefix(ctrl, "nvme") {
			continue
		}
		for _, ns := range readNames(filepath.Join(subsystem, ctrl)) {
			if !path.MatchString(ns) {
				continue
			}
			if p, err := t.blockAt(filepath.Join(subsystem, ctrl, ns), depth+1); err == nil {
				out = append(out, p)
			}
		}
	}
	return out
}

// virtualDrivers maps the beginning of a name under /sys/devices/virtual to
// the driver's module. Such devices have no device link that would tell.
var virtualDrivers = []struct{ prefix, driver string }{
	{"loop", "loop"},
	{"zram", "zram"},
	{"dm-", "device-mapper"},
	{"md", "md"},
	{"nullb", "null_blk"},
	{"ublkb", "ublk"},
	{"ram", "brd"},
	{"nbd", "nbd"},
	{"drbd", "drbd"},
	{"zd", "zfs"},
}

func (t Tree) driver(b *Block, disk string) Text {
	if len(b.Paths) > 0 {
		return b.Paths[0].Driver
	}
	if strings.HasPrefix(b.Disk, "nvme") {
		return nvmeDriver(disk)
	}
	if name, ok := linkBase(filepath.Join(disk, "device/driver")); ok {
		return Have(name)
	}
	if strings.HasPrefix(disk, filepath.Join(t.devices(), "virtual")+"/") {
		for _, v := range virtualDrivers {
			if strings.HasPrefix(b.Disk, v.prefix) {
				return Have(v.driver)
			}
		}
		// Since kernel 6.4 a null_blk bears the name of its folder in configfs.
		if _, err := os.Stat(t.path("sys/kernel/config/nullb/" + b.Disk)); err == nil {
			return Have("null_blk")
		}
	}
	return Text{}
}

// nvmeDriver goes from the namespace to its controller. A PCI controller has a
// device with a driver; one over fabrics has only its transport.
func nvmeDriver(disk string) Text {
	if name, ok := linkBase(filepath.Join(disk, "device/device/driver")); ok {
		return Have(name)
	}
	switch tr := readText(filepath.Join(disk, "device/transport")); tr.Value {
	case "", "pcie":
		return Have("nvme")
	default:
		return Have("nvme-" + tr.Value)
	}
}

func linkBase(link string) (string, bool) {
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", false
	}
	return filepath.Base(dir), true
}

// setNode finds the NUMA node: that of the members or paths when they agree,
// else the first numa_node attribute on the way up from the device link.
func (t Tree) setNode(b *Block, disk string) {
	lower := b.Members
	if len(lower) == 0 {
		lower = b.Paths
	}
	if len(lower) > 0 {
		b.Node, b.NodeWhy = commonNode(lower)
		return
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(disk, "device"))
	if err != nil {
		b.NodeWhy = b.Disk + " is a virtual device"
		return
	}
	for top := t.devices(); strings.HasPrefix(dir, top+"/"); dir = filepath.Dir(dir) {
		node := readInt(filepath.Join(dir, "numa_node"))
		switch {
		case node.State == Absent:
			continue
		case !node.OK():
			b.Node, b.NodeWhy = node, fmt.Sprintf("the numa_node of %s cannot be read", filepath.Base(dir))
		case node.Value < 0:
			b.NodeWhy = fmt.Sprintf("the firmware names no node for %s (its numa_node is %d)", filepath.Base(dir), node.Value)
		default:
			b.Node = node
		}
		return
	}
	b.NodeWhy = "no device above " + b.Disk + " has a numa_node"
}

func commonNode(lower []*Block) (Int, string) {
	for _, m := range lower {
		if !m.Node.OK() {
			return Int{}, m.NodeWhy
		}
	}
	list := make([]string, len(lower))
	same := true
	for i, m := range lower {
		list[i] = fmt.Sprintf("%s on %d", m.Name, m.Node.Value)
		same = same && m.Node.Value == lower[0].Node.Value
	}
	if !same {
		return Int{}, "its members are on different nodes: " + strings.Join(list, ", ")
	}
	return lower[0].Node, ""
}
