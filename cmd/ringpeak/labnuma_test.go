package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// bufferPages is how many pages a depth of 512 reads of 16 KiB takes. Nothing
// else that the program maps is as large as that.
const bufferPages = 512 * 16 / 4

// pagesOn counts the pages of the I/O buffers of a running program by node.
// The kernel may have joined a small mapping to them.
func pagesOn(t *testing.T, p *process) [2]int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/numa_maps", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var on [2]int
		for _, f := range strings.Fields(line) {
			var node, n int
			if c, _ := fmt.Sscanf(f, "N%d=%d", &node, &n); c == 2 && node < len(on) {
				on[node] = n
			}
		}
		if on[0]+on[1] >= bufferPages {
			return on
		}
	}
	t.Fatalf("no mapping of %d pages:\n%s", bufferPages, b)
	return [2]int{}
}

// TestLabNUMA: the lab's nvme-mdts is on node 1, behind an expander bridge.
// With -P1 its submitter runs there and its buffers are there; of a device
// without a node it is said why nothing was done.
func TestLabNUMA(t *testing.T) {
	kernel := lab(t)
	b, err := sysfs.At("").BlockNamed(filepath.Base(filepath.Dir(queueOf(t, "nvme-mdts"))))
	if err != nil || !b.Node.OK() || b.Node.Value != 1 {
		t.Fatalf("nvme-mdts is on node %+v, %v", b, err)
	}
	var near []int
	for _, n := range sysfs.At("").Nodes() {
		if n.ID == 1 {
			near = n.CPUs.Value
		}
	}
	if len(near) != 1 {
		t.Fatalf("CPUs of node 1: %v", near)
	}
	for _, c := range []struct {
		flags, dev string
		node, cpu  int // of the placement
		pages      int // on which node
		note       string
	}{
		{"-P1", "nvme-mdts", 1, near[0], 1, ""},
		{"-P1 -u1", "nvme-mdts-char", 1, near[0], 1, ""},
		{"-P1 --cpus 0", "nvme-mdts", 1, 0, 1, "numa-far"},
		{"-P0 --cpus 0", "nvme-mdts", -1, 0, 0, ""},
		{"-P1", "null-poll", -1, 0, 0, "numa-unknown"},
	} {
		if kernel < 601 && strings.Contains(c.flags, "-u1") {
			continue
		}
		line := c.flags + " -b16k -d512 -r0.5 " + c.dev
		var on [2]int
		_, r := labWatched(t, line, func(p *process) { on = pagesOn(t, p) })
		if pl := r.Placements; len(pl) != 1 || pl[0].Node != c.node || pl[0].CPU != c.cpu {
			t.Errorf("%s: placed at %+v", line, pl)
		}
		if on[c.pages] < bufferPages || on[1-c.pages] > bufferPages/10 {
			t.Errorf("%s: pages of the buffers by node: %v", line, on)
		}
		t.Logf("%s: submitter %+v, buffers %v", line, r.Placements, on)
		for _, code := range []string{"numa-far", "numa-unknown", "numa-mixed"} {
			if has := noteOf(r, code) != ""; has != (code == c.note) {
				t.Errorf("%s: notes %v", line, r.Notes)
			}
		}
		if c.note == "numa-unknown" {
			wantNote(t, r, c.note, "null-poll", "virtual device")
		}
	}

	// The firmware says nothing of the others; older nvme drivers then make up node 0.
	b, err = sysfs.At("").BlockNamed(filepath.Base(filepath.Dir(queueOf(t, "nvme-irq"))))
	if err != nil {
		t.Fatal(err)
	}
	r := labGood(t, "-P1 -n2 -b4096 nvme-irq nvme-mdts"+labShort)
	if len(r.Placements) != 2 || r.Placements[1].Node != 1 || r.Placements[1].CPU != near[0] || r.Placements[0].CPU == near[0] {
		t.Errorf("placed at %+v", r.Placements)
	}
	if b.Node.OK() {
		if r.Placements[0].Node != int(b.Node.Value) {
			t.Errorf("node %d, placed at %+v", b.Node.Value, r.Placements)
		}
	} else {
		wantNote(t, r, "numa-unknown", "nvme-irq", "firmware names no node")
	}
	wantCheck(t, r, "accounting", result.CheckPass)
}
