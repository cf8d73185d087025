package affinity

import (
	"slices"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// setNodes sets Node of each placement whose targets are on one known node,
// and returns the CPUs of the nodes that were set. What is unknown is noted,
// once for each target.
func (p *Plan) setNodes(targets []result.Target, tree sysfs.Tree) map[int][]int {
	for i := range targets {
		if nodeOf(&targets[i]) >= 0 {
			continue
		}
		why := targets[i].NUMAWhy
		if why == "" {
			why = "the system does not tell"
		}
		p.note("numa-unknown", "the NUMA node of %s is unknown: %s; its submitters are placed without regard to nodes", targets[i].Path, why)
	}
	if len(targets) == 0 {
		p.note("numa-unknown", "without a target there is no NUMA node to prefer")
	}

	nodes := tree.Nodes()
	onNode := map[int][]int{}
	for i := range p.Placements {
		pl := &p.Placements[i]
		node, mixed := common(targets, pl.Targets)
		if mixed {
			p.note("numa-mixed", "the targets of submitter %d are on different NUMA nodes, so it is placed without regard to them", i)
			continue
		}
		at := slices.IndexFunc(nodes, func(n sysfs.Node) bool { return n.ID == node })
		switch {
		case node < 0:
		case at < 0:
			p.note("numa-unknown", "the targets of submitter %d are on NUMA node %d, which sysfs does not list", i, node)
		default:
			pl.Node = node
			onNode[node] = nodes[at].CPUs.Value
		}
	}
	return onNode
}

// nodeOf is the node of a target, -1 when unknown.
func nodeOf(t *result.Target) int {
	if t.NUMANode == nil || *t.NUMANode < 0 {
		return -1
	}
	return int(*t.NUMANode)
}

// common is the node of all those targets; -1 when one is unknown, or, with
// mixed set, when they differ.
func common(targets []result.Target, indexes []int) (node int, mixed bool) {
	node = -1
	for i, t := range indexes {
		n := nodeOf(&targets[t])
		if n < 0 {
			return -1, false
		}
		if i > 0 && n != node {
			return -1, true
		}
		node = n
	}
	return node, false
}
