package sysfs

import (
	"slices"
	"strconv"
	"strings"
)

// CPU is one logical CPU, from /sys/devices/system/cpu/cpuN/topology.
type CPU struct {
	ID       int
	Siblings Attr[[]int] // thread_siblings_list: the hardware threads of its core, itself included
	Core     Int         // core_id, unique within Package only
	Package  Int         // physical_package_id
}

// CPUs reads the topology of those CPUs, in their order.
func (t Tree) CPUs(ids []int) []CPU {
	out := make([]CPU, len(ids))
	for i, id := range ids {
		dir := t.path("sys/devices/system/cpu", "cpu"+strconv.Itoa(id), "topology")
		out[i] = CPU{
			ID:       id,
			Siblings: readCPUs(dir + "/thread_siblings_list"),
			Core:     readInt(dir + "/core_id"),
			Package:  readInt(dir + "/physical_package_id"),
		}
	}
	return out
}

// Node is a NUMA node. One that has only memory has no CPUs.
type Node struct {
	ID   int
	CPUs Attr[[]int] // cpulist
}

// Nodes reads /sys/devices/system/node/node*, by increasing ID; nil where the
// kernel has no NUMA support.
func (t Tree) Nodes() []Node {
	dir := t.path("sys/devices/system/node")
	var out []Node
	for _, name := range readNames(dir) {
		digits, ok := strings.CutPrefix(name, "node")
		if !ok {
			continue
		}
		id, err := strconv.Atoi(digits)
		if err != nil {
			continue
		}
		out = append(out, Node{ID: id, CPUs: readCPUs(t.path("sys/devices/system/node", name, "cpulist"))})
	}
	slices.SortFunc(out, func(a, b Node) int { return a.ID - b.ID })
	return out
}
