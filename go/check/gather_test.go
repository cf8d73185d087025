package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ringpeak/go/device"
	"ringpeak/go/result"
	"ringpeak/go/sysfs/sysfstest"
)

// tree lays files out below a root.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLook(t *testing.T) {
	root := tree(t, map[string]string{
		"sys/class/block/sda/stat":          "1 2 3 4 5 6 7 8 9 10 11\n",
		"sys/class/block/sda/queue/iostats": "1\n",
		"sys/class/block/sdb/stat":          "9 2 3 4 5 6 7 8 9 10 11\n",
	})
	ts := []result.Target{{Disk: "sda"}, {Disk: "dm-0", Members: []string{"sda", "sdb"}}, {}}
	m := Look(ts, root)
	if len(m) != 2 || m["sda"].Stat.Value.Reads != 1 || !m["sda"].IOStats.OK() || m["sdb"].Stat.Value.Reads != 9 || m["sdb"].IOStats.OK() {
		t.Errorf("%+v", m)
	}
}

// A loop device over a file on a tmpfs, its queue and its CPUs, from a tree.
func TestGather(t *testing.T) {
	root := sysfstest.Load(t, "testdata/loop.txtar")
	e := &Evidence{Result: &result.Result{
		Targets:    []result.Target{{Path: "/dev/loop3", Kind: result.KindBlock, Disk: "loop3", FD: -1}},
		Placements: []result.Placement{{CPU: 1, Targets: []int{0}}, {CPU: -1}},
		System:     result.System{Kernel: "6.1.0"},
	}}
	e.Gather(root, true)
	d := e.Disks["loop3"]
	if d == nil || d.Owner != "loop3" || d.BackingFS != "tmpfs" || !d.Loop.DIO.OK() || len(d.Queues) != 1 || d.Block.Driver.Value != "loop" {
		t.Fatalf("%+v", d)
	}
	if len(e.Siblings) != 1 || len(e.Siblings[1]) != 2 {
		t.Errorf("siblings %v", e.Siblings)
	}
	if e.Kernel.Config.Source != "/boot/config-6.1.0" || !e.Kernel.Config.Has("KASAN") || !e.Kernel.Debugging.Lockdep {
		t.Errorf("kernel %+v", e.Kernel)
	}
	if len(e.Contents) != 1 || e.Contents[0].SamplesErr == nil {
		t.Errorf("contents %+v of a descriptor that is not open", e.Contents)
	}
	if c := medium(e); c.State != warn {
		t.Errorf("%+v", c)
	}
	if c := debugKernel(e); c.State != warn || !strings.Contains(c.Text, "CONFIG_KASAN, /proc/lockdep") {
		t.Errorf("%+v", c)
	}
}

// The queues of a multipath device are found on its paths.
func TestGatherMultipath(t *testing.T) {
	root := sysfstest.Load(t, "testdata/multipath.txtar")
	e := &Evidence{Result: &result.Result{Targets: []result.Target{{Kind: result.KindBlock, Disk: "nvme0n1", FD: -1}}}}
	e.Gather(root, false)
	head := e.Disks["nvme0n1"]
	if head == nil || !slices.Equal(head.Paths, []string{"nvme0c0n1", "nvme0c1n1"}) || head.Queues != nil {
		t.Fatalf("%+v", head)
	}
	for i, name := range head.Paths {
		if d := e.Disks[name]; d == nil || d.Owner != []string{"nvme0", "nvme1"}[i] || len(d.Queues) != 1 || d.Block.Queue.NrRequests.Value != 1023 {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// A real file is looked at when the run is calm, and left alone when not.
func TestContentsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 64*4096), 0o600); err != nil {
		t.Fatal(err)
	}
	target, err := device.Open(path, device.Options{BlockSize: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close(target)
	r := &result.Result{Spec: result.Spec{BlockSize: 4096}, Targets: []result.Target{*target}}
	if c := readContents(r, "", true)[0]; c.Samples == nil || c.Samples.Zeros != 32 {
		t.Errorf("%+v", c)
	}
	if c := readContents(r, "", false)[0]; c.Samples != nil || c.SamplesErr != nil || c.Extents != nil {
		t.Errorf("%+v of a run that did not end well", c)
	}
}

// A device that does not answer is left behind in time.
func TestContentsAreBounded(t *testing.T) {
	began := time.Now()
	out := collect(1, []Contents{{SamplesErr: errContentsLate}}, make(chan answer), time.After(20*time.Millisecond))
	if d := time.Since(began); d > time.Second || out[0].SamplesErr != errContentsLate {
		t.Errorf("%v, %+v", d, out)
	}
	answers := make(chan answer, 1)
	answers <- answer{0, Contents{Samples: &device.Samples{Blocks: 1}}}
	if out := collect(1, []Contents{{SamplesErr: errContentsLate, Size: known(7)}}, answers, nil); out[0].Samples == nil || out[0].SamplesErr != nil || *out[0].Size != 7 {
		t.Errorf("%+v", out)
	}
}
