package check

import (
	"fmt"
	"maps"
	"slices"

	"ringpeak/go/result"
)

// cpuShared looks for submitters that do not have a core to themselves.
func cpuShared(e *Evidence) *result.Check {
	var out []finding
	ps := e.Result.Placements
	add := func(f finding) { out = append(out, f) }
	add(found(result.CheckPass, "", "every submitter has a core of its own"))
	if len(ps) < 2 && !e.Result.Spec.SQPoll {
		return worst(CodeCPUShared, out)
	}
	onCPU, loose := map[int][]int{}, 0
	for _, p := range ps {
		if p.CPU < 0 {
			loose++
			continue
		}
		onCPU[p.CPU] = append(onCPU[p.CPU], p.Submitter)
	}
	if loose > 0 {
		add(found(result.CheckUnknown, "pin them (--pin one)", "%d submitters run wherever the scheduler puts them", loose))
	}
	for _, cpu := range slices.Sorted(maps.Keys(onCPU)) {
		if who := onCPU[cpu]; len(who) > 1 {
			add(found(result.CheckWarn, "use fewer submitters, or more CPUs (--cpus)", "submitters %s share CPU %d", numbers(who), cpu))
		}
		if s := &e.Result.Spec; s.SQPoll && s.SQPollCPU == cpu {
			add(found(result.CheckWarn, "give it another one (--sqpoll-cpu)", "the kernel's submission thread shares CPU %d with submitter %d", cpu, onCPU[cpu][0]))
		}
		var threads []int
		siblings := e.Siblings[cpu]
		if siblings == nil {
			add(found(result.CheckUnknown, "look at lscpu -e", "which CPUs share a core with CPU %d is not known", cpu))
		}
		for _, c := range siblings {
			if len(onCPU[c]) > 0 {
				threads = append(threads, c)
			}
		}
		if len(threads) > 1 && threads[0] == cpu {
			add(found(result.CheckWarn, "place them on CPUs of different cores (--cpus), or take the number for that of the core",
				"submitters run on CPUs %s, which are hardware threads of one core", numbers(threads)))
		}
	}
	return worst(CodeCPUShared, out)
}

// queueUse is one hardware queue of a disk and who submits to it.
type queueUse struct {
	disk       *Disk
	queue      result.PollQueue
	submitters []int
	depth      int // I/Os that these may have there at once
}

// queueUses maps submitters to the hardware queues of a disk, or of the
// controller that it is on, through their CPUs. known is false when some cannot be placed; those are left out.
func queueUses(e *Evidence, name string) (uses []queueUse, known bool) {
	d := e.Disks[name]
	if d == nil {
		return nil, false
	}
	known = true
	for s := range e.Result.Placements {
		p := &e.Result.Placements[s]
		depth, queues := 0, d.Queues
		for _, i := range p.Targets {
			t := &e.Result.Targets[i]
			n := depthOn(e, p, t, d.Owner)
			if depth += n; n > 0 && e.Polled {
				queues = ownQueues(t.PollMap, d.Owner)
			}
		}
		if depth == 0 {
			continue
		}
		at := slices.IndexFunc(queues, func(q result.PollQueue) bool {
			return slices.Contains(q.CPUs, p.CPU) || len(queues) == 1
		})
		if at < 0 {
			known = false
			continue
		}
		q := queues[at]
		i := slices.IndexFunc(uses, func(u queueUse) bool { return u.queue.Device == q.Device && u.queue.Index == q.Index })
		if i < 0 {
			uses = append(uses, queueUse{disk: d, queue: q})
			i = len(uses) - 1
		}
		uses[i].submitters = append(uses[i].submitters, s)
		uses[i].depth += depth
	}
	return uses, known
}

func ownQueues(all []result.PollQueue, owner string) []result.PollQueue {
	var out []result.PollQueue
	for _, q := range all {
		if q.Device == owner {
			out = append(out, q)
		}
	}
	return out
}

// depthOn is how many requests a submitter may have at once in the queues of
// an owner, through one of its targets: its share of the depth, in as many
// pieces as a read is split into. Striped devices spread them over their
// members. It is 0 for a target that is elsewhere.
func depthOn(e *Evidence, p *result.Placement, t *result.Target, owner string) int {
	disks, there := disksOf(t), 0
	for _, name := range disks {
		if slices.ContainsFunc(e.queued(name), func(d *Disk) bool { return d.Owner == owner }) {
			there++
		}
	}
	if there == 0 {
		return 0
	}
	s := &e.Result.Spec
	depth := s.Depth
	if s.Engine == result.EnginePreadv2 {
		depth = 1
	}
	share := (depth + len(p.Targets) - 1) / len(p.Targets) * int(pieces(s.BlockSize, t))
	return (share*there + len(disks) - 1) / len(disks)
}

// pieces is how many device I/Os the kernel makes of a read, by max_sectors_kb.
// Passthrough is never split.
func pieces(bs int64, t *result.Target) int64 {
	if n := t.MaxSectorsKB; n != nil && *n > 0 && t.Kind != result.KindGeneric {
		return (bs + *n*1024 - 1) / (*n * 1024)
	}
	return 1
}

// queued are the disks in whose queues the I/O to a disk ends: its paths, each
// of which may get all of it, or the disk itself; those that are known.
func (e *Evidence) queued(name string) []*Disk {
	d := e.Disks[name]
	if d == nil || len(d.Paths) == 0 {
		return slices.DeleteFunc([]*Disk{d}, func(d *Disk) bool { return d == nil })
	}
	var out []*Disk
	for _, p := range d.Paths {
		if below := e.Disks[p]; below != nil {
			out = append(out, below)
		}
	}
	return out
}

// eachDisk calls f once for every disk that has queues, and with the first
// group that has it.
func eachDisk(e *Evidence, f func(name string, d *Disk, g *group)) {
	gs := groups(e)
	for i := range gs {
		for _, name := range gs[i].disks {
			for _, d := range e.queued(name) {
				if d.Block.Queue.HWQueues.OK() { // a driver that takes no requests has none
					f(d.Block.Disk, d, &gs[i])
				}
			}
		}
	}
}

// queueShared looks for submitters that share a hardware queue, and its locks.
func queueShared(e *Evidence) *result.Check {
	var out []finding
	if len(e.Result.Placements) < 2 {
		return nil
	}
	eachDisk(e, func(name string, d *Disk, g *group) {
		uses, known := queueUses(e, name)
		shared := false
		for _, u := range uses {
			if len(u.submitters) < 2 {
				continue
			}
			shared = true
			which := fmt.Sprintf("submitters %s share hardware queue %d of %s", numbers(u.submitters), u.queue.Index, u.queue.Device)
			if g.rate < fastDisk {
				out = append(out, found(result.CheckPass, "", "%s, which costs little at this rate", which))
				continue
			}
			out = append(out, found(result.CheckWarn, "place them with --cpus on CPUs of different queues (/sys/block/"+name+"/mq/*/cpu_list), or use fewer", "%s, and its locks", which))
		}
		switch {
		case !known:
			out = append(out, found(result.CheckUnknown, "pin the submitters, and look at /sys/block/"+name+"/mq/*/cpu_list",
				"which hardware queues of %s the submitters use is not known", name))
		case !shared:
			out = append(out, found(result.CheckPass, "", "no hardware queue of %s has two submitters", name))
		}
	})
	return worst(CodeQueueShared, out)
}

// tags holds the depth against the requests that a hardware queue has: beyond
// them, I/O waits in the kernel or goes to io-wq workers.
func tags(e *Evidence) *result.Check {
	var out []finding
	eachDisk(e, func(name string, d *Disk, _ *group) {
		q := d.Block.Queue
		if !q.NrRequests.OK() {
			out = append(out, found(result.CheckUnknown, "look at /sys/block/"+name+"/queue/nr_requests", "how many requests a hardware queue of %s holds is not known", name))
			return
		}
		out = append(out, tagsOf(e, name, int(q.NrRequests.Value)))
	})
	return worst(CodeTags, out)
}

func tagsOf(e *Evidence, name string, have int) finding {
	const advice = "use a lower depth (-d), or more hardware queues"
	one, all := 0, 0 // the deepest submitter, and the sum
	for s := range e.Result.Placements {
		p := &e.Result.Placements[s]
		depth := 0
		for _, i := range p.Targets {
			depth += depthOn(e, p, &e.Result.Targets[i], e.Disks[name].Owner)
		}
		one, all = max(one, depth), all+depth
	}
	uses, known := queueUses(e, name)
	deepest := one
	for _, u := range uses {
		if u.depth > have {
			return found(result.CheckWarn, advice, "up to %d requests at once for hardware queue %d of %s, which holds %d: the others wait, or are punted to kernel workers",
				u.depth, u.queue.Index, u.queue.Device, have)
		}
		deepest = max(deepest, u.depth)
	}
	switch {
	case one > have:
		return found(result.CheckWarn, advice, "up to %d requests at once of one submitter for %s, of which a hardware queue holds %d: the others wait, or are punted to kernel workers",
			one, name, have)
	case all <= have:
		deepest = all
	case !known:
		return found(result.CheckUnknown, "pin the submitters", "up to %d requests at once for %s, of which a hardware queue holds %d; how they spread is not known", all, name, have)
	}
	return found(result.CheckPass, "", "up to %d requests at once for a hardware queue of %s, which holds %d", deepest, name, have)
}
