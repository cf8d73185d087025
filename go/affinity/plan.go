package affinity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Plan is where the submitters of a run go.
type Plan struct {
	Placements []result.Placement // by submitter; CPU and Node are -1 where nothing is set
	Notes      []result.Note
	// CPUs is the set in force, increasing: the allowed one, or --cpus. A
	// submitter with CPU -1 runs anywhere in it.
	CPUs []int
	// Spare are those of CPUs to which no submitter is pinned, for other threads.
	Spare []int
}

// Make plans spec.Threads submitters inside the allowed CPUs (see Allowed).
//
// CPUs are taken in increasing order, one hardware thread of every core first,
// then their siblings; when all are taken, they are shared round-robin. With
// spec.NUMA, a submitter whose targets are on one known node gets that node's
// memory, and one of its CPUs while there is one without a submitter.
//
// root is the tree that holds /sys and /proc; "" is the running system's.
// Errors are *result.Error with status 2: spec.CPUs cannot be parsed, or it or
// spec.SQPollCPU names CPUs that are not allowed.
func Make(spec *result.Spec, targets []result.Target, allowed []int, root string) (*Plan, error) {
	tree := sysfs.At(root)
	cpus, err := chosen(spec.CPUs, allowed)
	if err != nil {
		return nil, err
	}
	if c := spec.SQPollCPU; spec.SQPoll && c >= 0 && !slices.Contains(allowed, c) {
		return nil, result.Errorf(result.StatusUsage,
			"--sqpoll-cpu %d: it is not among the allowed CPUs %s; it is offline, or taskset or the cgroup's cpuset excludes it",
			c, sysfs.FormatCPUList(slices.Sorted(slices.Values(allowed))))
	}
	p := &Plan{CPUs: cpus}
	for i, ts := range Assign(spec.Threads, len(targets)) {
		p.Placements = append(p.Placements, result.Placement{Submitter: i, CPU: -1, Node: -1, Targets: ts})
	}
	var onNode map[int][]int
	if spec.NUMA {
		onNode = p.setNodes(targets, tree)
	}
	if spec.Pinning == result.PinNone {
		p.Spare = slices.Clone(cpus)
		return p, nil
	}
	p.pin(spread(cpus, tree), onNode)
	return p, nil
}

// chosen is the allowed set, or the part of it that list names.
func chosen(list string, allowed []int) ([]int, error) {
	cpus := slices.Clone(allowed)
	slices.Sort(cpus)
	cpus = slices.Compact(cpus)
	if len(cpus) == 0 {
		return nil, result.Errorf(result.StatusSetup, "no CPU is allowed to this process; check taskset and the cgroup's cpuset")
	}
	if strings.TrimSpace(list) == "" {
		return cpus, nil
	}
	asked, err := sysfs.ParseCPUList(list)
	if err != nil {
		return nil, result.Errorf(result.StatusUsage, "--cpus: %w; write it like 0-3,8", err)
	}
	var missing []int
	for _, c := range asked {
		if !slices.Contains(cpus, c) {
			missing = append(missing, c)
		}
	}
	if missing != nil {
		return nil, result.Errorf(result.StatusUsage,
			"--cpus %s: CPU %s not among the allowed %s; they are offline, or taskset or the cgroup's cpuset excludes them",
			list, sysfs.FormatCPUList(missing), sysfs.FormatCPUList(cpus))
	}
	return asked, nil
}

// spread orders CPUs so that the first hardware threads of all cores come
// before the second ones. A CPU whose siblings are unknown is a core of its own.
func spread(cpus []int, tree sysfs.Tree) []int {
	rank := make(map[int]int, len(cpus))
	for _, c := range tree.CPUs(cpus) {
		for _, s := range c.Siblings.Value {
			if s < c.ID && slices.Contains(cpus, s) {
				rank[c.ID]++
			}
		}
	}
	out := slices.Clone(cpus)
	slices.SortStableFunc(out, func(a, b int) int { return rank[a] - rank[b] })
	return out
}

// pin gives every submitter a CPU. Those with a node choose first, so that
// nobody else takes the CPUs they prefer.
func (p *Plan) pin(order []int, onNode map[int][]int) {
	load := make(map[int]int, len(order))
	take := func(pl *result.Placement, cpu int) {
		pl.CPU = cpu
		load[cpu]++
	}
	for i := range p.Placements {
		pl := &p.Placements[i]
		for _, c := range order {
			if load[c] == 0 && slices.Contains(onNode[pl.Node], c) {
				take(pl, c)
				break
			}
		}
	}
	for i := range p.Placements {
		pl := &p.Placements[i]
		if pl.CPU >= 0 {
			continue
		}
		best := order[0]
		for _, c := range order {
			nearer := slices.Contains(onNode[pl.Node], c) && !slices.Contains(onNode[pl.Node], best)
			if load[c] < load[best] || load[c] == load[best] && nearer {
				best = c
			}
		}
		take(pl, best)
	}
	for i := range p.Placements {
		p.Placements[i].Shared = load[p.Placements[i].CPU] > 1
	}
	for _, c := range p.CPUs {
		if load[c] == 0 {
			p.Spare = append(p.Spare, c)
		}
	}
	p.noteFar(onNode)
	if n := len(p.Placements); n > len(p.CPUs) {
		noun := "CPUs"
		if len(p.CPUs) == 1 {
			noun = "CPU"
		}
		p.note("cpus-shared", "%d submitters share %d %s (%s); each gets only a part of one, so expect less than %d times one submitter",
			n, len(p.CPUs), noun, sysfs.FormatCPUList(p.CPUs), n)
	}
}

// noteFar names the submitters that have a node but not one of its CPUs.
func (p *Plan) noteFar(onNode map[int][]int) {
	far := map[int][]int{}
	for _, pl := range p.Placements {
		if pl.Node >= 0 && !slices.Contains(onNode[pl.Node], pl.CPU) {
			far[pl.Node] = append(far[pl.Node], pl.Submitter)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(far)) {
		why := "has too few CPUs for all that read from it"
		if !slices.ContainsFunc(onNode[node], func(c int) bool { return slices.Contains(p.CPUs, c) }) {
			why = "has none of the CPUs in use, " + sysfs.FormatCPUList(p.CPUs)
		}
		p.note("numa-far", "NUMA node %d %s, so these submitters run on others: %s", node, why, sysfs.FormatCPUList(far[node]))
	}
}

func (p *Plan) note(code, format string, args ...any) {
	p.Notes = append(p.Notes, result.Note{Code: code, Text: fmt.Sprintf(format, args...)})
}
