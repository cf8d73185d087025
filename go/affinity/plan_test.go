package affinity

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
	"ringpeak/go/sysfs/sysfstest"
)

// machine has nodes 0 (CPUs 0-1, 4-5) and 1 (2-3, 6-7); N and N+4 are siblings.
func machine(t *testing.T) string {
	t.Helper()
	return sysfstest.Load(t, "../sysfs/testdata/fixtures/machine.txtar")
}

func on(nodes ...int64) []result.Target {
	ts := make([]result.Target, len(nodes))
	for i, n := range nodes {
		ts[i].Path = fmt.Sprintf("/dev/t%d", i)
		if n < 0 {
			ts[i].NUMAWhy = "loop0 is a virtual device"
		} else {
			ts[i].NUMANode = &n
		}
	}
	return ts
}

// show is CPU/node of each placement, with ! where the CPU is shared.
func show(p *Plan) string {
	var out []string
	for i, pl := range p.Placements {
		if pl.Submitter != i {
			return fmt.Sprintf("placement %d is of submitter %d", i, pl.Submitter)
		}
		s := fmt.Sprintf("%d/%d", pl.CPU, pl.Node)
		if pl.Shared {
			s += "!"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func codes(p *Plan) string {
	var out []string
	for _, n := range p.Notes {
		out = append(out, n.Code)
	}
	return strings.Join(out, " ")
}

func TestMake(t *testing.T) {
	root := machine(t)
	all := []int{0, 1, 2, 3, 4, 5, 6, 7}
	for _, c := range []struct {
		name    string
		spec    result.Spec
		targets []result.Target
		allowed []int
		want    string
		spare   string
		notes   string
	}{
		{"one", result.Spec{Threads: 1}, on(-1), all, "0/-1", "1-7", ""},
		{"cores before siblings", result.Spec{Threads: 6}, on(-1), all, "0/-1 1/-1 2/-1 3/-1 4/-1 5/-1", "6-7", ""},
		{"taskset in any order", result.Spec{Threads: 2}, on(-1, -1), []int{4, 0}, "0/-1 4/-1", "", ""},
		{"a sibling whose first thread is not allowed is a core", result.Spec{Threads: 3}, on(-1), []int{0, 4, 5, 6}, "0/-1 5/-1 6/-1", "4", ""},
		{"CPUs that sysfs does not know", result.Spec{Threads: 2}, on(-1), []int{40, 41}, "40/-1 41/-1", "", ""},
		{"shared round-robin", result.Spec{Threads: 5}, on(-1), []int{0, 1}, "0/-1! 1/-1! 0/-1! 1/-1! 0/-1!", "", "cpus-shared"},
		{"some shared", result.Spec{Threads: 3}, on(-1), []int{0, 1}, "0/-1! 1/-1 0/-1!", "", "cpus-shared"},
		{"list", result.Spec{Threads: 2, CPUs: "2,6"}, on(-1), all, "2/-1 6/-1", "", ""},
		{"list and siblings", result.Spec{Threads: 2, CPUs: "2,6,7"}, on(-1), all, "2/-1 7/-1", "6", ""},
		{"not pinned", result.Spec{Threads: 2, Pinning: result.PinNone, CPUs: "1-2"}, on(-1), all, "-1/-1 -1/-1", "1-2", ""},
		{"NOP", result.Spec{Threads: 2}, nil, all, "0/-1 1/-1", "2-7", ""},

		{"node", result.Spec{Threads: 3, NUMA: true}, on(1), all, "2/1 3/1 6/1", "0-1,4-5,7", ""},
		{"node of each", result.Spec{Threads: 2, NUMA: true}, on(1, 0), all, "2/1 0/0", "1,3-7", ""},
		{"known nodes choose first", result.Spec{Threads: 2, NUMA: true}, on(-1, 0), []int{0, 2}, "2/-1 0/0", "", "numa-unknown"},
		{"unknown node", result.Spec{Threads: 2, NUMA: true}, on(-1), all, "0/-1 1/-1", "2-7", "numa-unknown"},
		{"mixed nodes", result.Spec{Threads: 1, NUMA: true}, on(0, 1), all, "0/-1", "1-7", "numa-mixed"},
		{"node without CPUs here", result.Spec{Threads: 1, NUMA: true}, on(1), []int{0, 1}, "0/1", "1", "numa-far"},
		{"node with too few CPUs", result.Spec{Threads: 3, NUMA: true}, on(1), []int{0, 1, 2, 3}, "2/1 3/1 0/1", "1", "numa-far"},
		{"sharing stays on the node", result.Spec{Threads: 4, NUMA: true}, on(0, 1), []int{0, 2}, "0/0! 0/0! 2/1! 2/1!", "", "cpus-shared"},
		{"memory-only node", result.Spec{Threads: 1, NUMA: true}, on(2), all, "0/2", "1-7", "numa-far"},
		{"node that does not exist", result.Spec{Threads: 1, NUMA: true}, on(9), all, "0/-1", "1-7", "numa-unknown"},
		{"memory without pinning", result.Spec{Threads: 1, NUMA: true, Pinning: result.PinNone}, on(1), all, "-1/1", "0-7", ""},
		{"NOP with -P1", result.Spec{Threads: 1, NUMA: true}, nil, all, "0/-1", "1-7", "numa-unknown"},
	} {
		p, err := Make(&c.spec, c.targets, c.allowed, root)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := show(p); got != c.want {
			t.Errorf("%s: CPU/node %s, want %s", c.name, got, c.want)
		}
		if got := sysfs.FormatCPUList(p.Spare); got != c.spare {
			t.Errorf("%s: spare %q, want %q", c.name, got, c.spare)
		}
		if got := codes(p); got != c.notes {
			t.Errorf("%s: notes %q, want %q: %v", c.name, got, c.notes, p.Notes)
		}
	}
}

func TestMakeErrors(t *testing.T) {
	root := machine(t)
	for _, c := range []struct {
		list    string
		allowed []int
		status  int
		parts   []string
	}{
		{"0,5,7", []int{0, 1}, result.StatusUsage, []string{"CPU 5,7 not among the allowed 0-1", "taskset"}},
		{"x", []int{0}, result.StatusUsage, []string{"--cpus", `"x"`, "0-3,8"}},
		{"0-", []int{0}, result.StatusUsage, []string{"--cpus"}},
		{"", nil, result.StatusSetup, []string{"no CPU is allowed"}},
	} {
		p, err := Make(&result.Spec{Threads: 1, CPUs: c.list}, on(0), c.allowed, root)
		var e *result.Error
		if !errors.As(err, &e) || e.Status != c.status {
			t.Errorf("--cpus %q: %+v, %v, want status %d", c.list, p, err, c.status)
			continue
		}
		for _, part := range c.parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("--cpus %q: %q lacks %q", c.list, err, part)
			}
		}
	}
}

func TestSQPollCPU(t *testing.T) {
	root := machine(t)
	spec := result.Spec{Threads: 1, CPUs: "0", SQPoll: true, SQPollCPU: 1}
	if _, err := Make(&spec, nil, []int{1, 0}, root); err != nil {
		t.Errorf("CPU 1 is allowed, though no submitter's: %v", err)
	}
	spec.SQPollCPU = 2
	var e *result.Error
	_, err := Make(&spec, nil, []int{1, 0}, root)
	if !errors.As(err, &e) || e.Status != result.StatusUsage || !strings.Contains(e.Text, "--sqpoll-cpu 2: it is not among the allowed CPUs 0-1") {
		t.Errorf("CPU 2: %v", err)
	}
	spec.SQPoll = false
	if _, err := Make(&spec, nil, []int{1, 0}, root); err != nil {
		t.Errorf("without --sqpoll: %v", err)
	}
}

func TestNotesSayWhy(t *testing.T) {
	p, err := Make(&result.Spec{Threads: 3, NUMA: true}, on(-1), []int{0}, machine(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Notes) != 2 || !strings.Contains(p.Notes[0].Text, "/dev/t0 is unknown: loop0 is a virtual device") ||
		!strings.Contains(p.Notes[1].Text, "3 submitters share 1 CPU") {
		t.Errorf("notes %v", p.Notes)
	}
}

// TestMakeInvariants tries random requests: every CPU is in the set, loads
// differ by one at most, and Shared and Spare say what the loads say.
func TestMakeInvariants(t *testing.T) {
	root := machine(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		allowed := r.Perm(8)[:1+r.IntN(8)]
		nodes := make([]int64, r.IntN(5))
		for i := range nodes {
			nodes[i] = int64(r.IntN(4) - 1)
		}
		spec := result.Spec{Threads: 1 + r.IntN(20), NUMA: r.IntN(2) == 0}
		p, err := Make(&spec, on(nodes...), allowed, root)
		if err != nil {
			t.Fatal(err)
		}
		load := map[int]int{}
		for _, pl := range p.Placements {
			if !slices.Contains(allowed, pl.CPU) {
				t.Fatalf("%+v on %v: CPU %d", spec, allowed, pl.CPU)
			}
			load[pl.CPU]++
		}
		least, most := len(p.Placements), 0
		for _, c := range allowed {
			least, most = min(least, load[c]), max(most, load[c])
			if slices.Contains(p.Spare, c) != (load[c] == 0) {
				t.Fatalf("%+v on %v: spare %v, loads %v", spec, allowed, p.Spare, load)
			}
		}
		if most-least > 1 || len(p.Placements) != spec.Threads {
			t.Fatalf("%+v on %v: loads %v", spec, allowed, load)
		}
		for _, pl := range p.Placements {
			if pl.Shared != (load[pl.CPU] > 1) {
				t.Fatalf("%+v on %v: %+v, loads %v", spec, allowed, pl, load)
			}
		}
	}
}
