package sysfs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMounts(t *testing.T) {
	got, err := fixture(t, "machine").Mounts()
	if err != nil {
		t.Fatal(err)
	}
	want := []Mount{
		{22, "0:21", "/", "/proc", "proc", "proc", []string{"rw"}},
		{27, "254:0", "/", "/", "ext4", "/dev/vda", []string{"rw", "discard"}},
		{30, "0:27", "/", `/mnt/a b\c`, "tmpfs", "tmpfs", []string{"rw", "size=4k"}},
		{31, "0:29", "/", "/mnt/empty", "fuse.thing", "", []string{"rw"}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("mounts (-want +got):\n%s", d)
	}
	for _, bad := range []string{"garbage", "x 27 0:21 / /p rw - proc proc rw", "22 27 0:21 / /proc rw proc proc rw"} {
		if m, err := ParseMountInfo(strings.NewReader(bad)); err == nil {
			t.Errorf("ParseMountInfo(%q) = %v, want an error", bad, m)
		}
	}
}

func TestPolicyAndMachine(t *testing.T) {
	tree := fixture(t, "machine")
	p := tree.Policy()
	wantInt(t, "io_uring_disabled", p.IOURingDisabled, 1)
	wantInt(t, "io_uring_group", p.IOURingGroup, 1000)
	wantInt(t, "seccomp", p.Seccomp, 2)
	if a := tree.AllowedCPUs(); !slices.Equal(a.Value, []int{0, 1, 4}) {
		t.Errorf("allowed CPUs %+v", a)
	}
	if m := tree.CPUModel(); m.Value != "Acme Zippy 9000" {
		t.Errorf("CPU model %+v", m)
	}
	if c := tree.Cmdline(); c.Value != "root=/dev/vda nvme.poll_queues=4" {
		t.Errorf("command line %+v", c)
	}

	empty := At(t.TempDir())
	p = empty.Policy()
	if p.IOURingDisabled.State != Absent || p.Seccomp.State != Absent || empty.CPUModel().State != Absent {
		t.Errorf("nothing there: %+v", p)
	}
	if m, err := empty.Mounts(); err == nil {
		t.Errorf("mounts of nothing: %v", m)
	}
	if n := empty.Nodes(); n != nil {
		t.Errorf("nodes of nothing: %v", n)
	}
}

func TestTopology(t *testing.T) {
	tree := fixture(t, "machine")
	cpus := tree.CPUs([]int{6, 0, 99})
	if !slices.Equal(cpus[0].Siblings.Value, []int{2, 6}) || cpus[0].Core.State != Absent {
		t.Errorf("CPU 6: %+v", cpus[0])
	}
	wantInt(t, "core of CPU 0", cpus[1].Core, 0)
	wantInt(t, "package of CPU 0", cpus[1].Package, 0)
	if cpus[2].ID != 99 || cpus[2].Siblings.State != Absent {
		t.Errorf("CPU 99: %+v", cpus[2])
	}
	nodes := tree.Nodes()
	if len(nodes) != 3 || nodes[1].ID != 1 || !slices.Equal(nodes[1].CPUs.Value, []int{2, 3, 6, 7}) {
		t.Fatalf("nodes %+v", nodes)
	}
	if c := nodes[2].CPUs; !c.OK() || len(c.Value) != 0 {
		t.Errorf("node with memory only: %+v", c)
	}
}

func TestRealProc(t *testing.T) {
	tree := At("")
	if a := tree.AllowedCPUs(); !a.OK() || len(a.Value) == 0 {
		t.Errorf("allowed CPUs: %+v", a)
	}
	if s := tree.Policy().Seccomp; s.State != Absent && !s.OK() {
		t.Errorf("seccomp: %+v", s)
	}
	m, err := tree.Mounts()
	if err != nil || !slices.ContainsFunc(m, func(m Mount) bool { return m.Point == "/" }) {
		t.Errorf("no root mount in %v, %v", m, err)
	}
}
