package sysfs

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lay writes a file of a tree.
func lay(t *testing.T, root, name string, data []byte) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestStat(t *testing.T) {
	root := t.TempDir()
	lay(t, root, "sys/class/block/a/stat", []byte("  10 2 30 4 50 6 70 8 0 9 10 11 12 13 14 15 16\n"))
	lay(t, root, "sys/class/block/old/stat", []byte("10 2 30 4 50 6 70 8 0 9 10\n"))
	lay(t, root, "sys/class/block/short/stat", []byte("10 2 30\n"))
	lay(t, root, "sys/class/block/odd/stat", []byte("10 2 x 4 50 6 70 8 0 9 10\n"))
	tree := At(root)
	want := Stat{Reads: 10, ReadMerges: 2, ReadSectors: 30, Writes: 50, WriteMerges: 6, WriteSects: 70, Discards: 11, Flushes: 15}
	if got := tree.Stat("a"); !got.OK() || got.Value != want {
		t.Errorf("%+v", got)
	}
	want.Discards, want.Flushes = 0, 0
	if got := tree.Stat("old"); !got.OK() || got.Value != want {
		t.Errorf("before discards were counted: %+v", got)
	}
	for name, state := range map[string]State{"short": Malformed, "odd": Malformed, "none": Absent, "": Absent, "../block/a": Absent, "..": Absent} {
		if got := tree.Stat(name); got.State != state {
			t.Errorf("%q: %v, want %v", name, got.State, state)
		}
	}
	if d := want.Sub(Stat{Reads: 1, ReadMerges: 1, ReadSectors: 1, Writes: 1, WriteMerges: 1, WriteSects: 1}); d != (Stat{
		Reads: 9, ReadMerges: 1, ReadSectors: 29, Writes: 49, WriteMerges: 5, WriteSects: 69,
	}) {
		t.Errorf("difference %+v", d)
	}
	all := Stat{1, 1, 1, 1, 1, 1, 1, 1}
	if !all.Since(all) || !all.Since(Stat{}) {
		t.Error("nothing went back")
	}
	for i, back := range []Stat{
		{0, 1, 1, 1, 1, 1, 1, 1},
		{1, 0, 1, 1, 1, 1, 1, 1},
		{1, 1, 0, 1, 1, 1, 1, 1},
		{1, 1, 1, 0, 1, 1, 1, 1},
		{1, 1, 1, 1, 0, 1, 1, 1},
		{1, 1, 1, 1, 1, 0, 1, 1},
		{1, 1, 1, 1, 1, 1, 0, 1},
		{1, 1, 1, 1, 1, 1, 1, 0},
	} {
		if back.Since(all) {
			t.Errorf("counter %d went back unseen", i)
		}
	}
}

func TestIOStatsAndLoop(t *testing.T) {
	root := t.TempDir()
	lay(t, root, "sys/class/block/loop0/queue/iostats", []byte("1\n"))
	lay(t, root, "sys/class/block/loop0/loop/backing_file", []byte("/a b\n"))
	lay(t, root, "sys/class/block/loop0/loop/dio", []byte("0\n"))
	tree := At(root)
	if on, pass := tree.IOStats("loop0"); !on.OK() || on.Value != 1 || pass.State != Absent {
		t.Errorf("%+v, %+v", on, pass)
	}
	if l := tree.Loop("loop0"); l.BackingFile.Value != "/a b" || !l.DIO.OK() || l.DIO.Value != 0 {
		t.Errorf("%+v", l)
	}
	if l := tree.Loop("sda"); l.BackingFile.OK() || l.DIO.OK() {
		t.Errorf("%+v", l)
	}
}

func TestKernelConfig(t *testing.T) {
	const text = "# CONFIG_KASAN is not set\nCONFIG_LOCKDEP=y\nCONFIG_HZ=1000\nCONFIG_BLK_DEV_LOOP=m\n"
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(text))
	w.Close()
	for name, data := range map[string][]byte{
		"proc/config.gz": packed.Bytes(), "boot/config-6.1.0": []byte(text), "lib/modules/6.1.0/config": []byte(text),
	} {
		root := t.TempDir()
		lay(t, root, name, data)
		c := At(root).KernelConfig("6.1.0")
		if c.Source != "/"+name || !c.Has("LOCKDEP") || c.Has("KASAN") || c.Has("BLK_DEV_LOOP") || c.Set["HZ"] != "1000" {
			t.Errorf("%s: %+v", name, c)
		}
		if strings.HasPrefix(name, "boot") && At(root).KernelConfig("6.1.1").Source != "" {
			t.Error("that of another kernel was taken")
		}
	}
	root := t.TempDir()
	lay(t, root, "proc/config.gz", []byte("not packed"))
	lay(t, root, "boot/config-6.1.0", []byte("nothing\n"))
	if c := At(root).KernelConfig("6.1.0"); c.Source != "" {
		t.Errorf("%+v", c)
	}
	if c := At(root).KernelConfig("../boot/config-6.1.0"); c.Source != "" {
		t.Errorf("%+v", c)
	}
}

func TestDebugging(t *testing.T) {
	root := t.TempDir()
	if d := At(root).Debugging(); d.Lockdep || d.Kmemleak || d.SlubChecks != nil {
		t.Errorf("%+v", d)
	}
	lay(t, root, "proc/lockdep", nil)
	lay(t, root, "sys/kernel/debug/kmemleak", nil)
	lay(t, root, "sys/kernel/slab/kmalloc-64/poison", []byte("1\n"))
	lay(t, root, "sys/kernel/slab/kmalloc-64/red_zone", []byte("0\n"))
	if d := At(root).Debugging(); !d.Lockdep || !d.Kmemleak || !slices.Equal(d.SlubChecks, []string{"poison"}) {
		t.Errorf("%+v", d)
	}
}
