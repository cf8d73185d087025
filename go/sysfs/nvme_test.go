package sysfs

import (
	"strings"
	"testing"
)

func TestGenericAndItsTwin(t *testing.T) {
	tree := fixture(t, "generic")
	for _, c := range []struct {
		minor                uint32
		name, block, sibling string
		nsid                 int64
	}{
		{0, "ng0n1", "nvme0n1", "", 2},
		{1, "ng0n2", "nvme0n2", "", 1},
		{2, "ng0n3", "nvme0n3", "", 3},
		{3, "ng0n4", "", "nvme0n1", 0},
		{4, "ng1n1", "nvme1n1", "", 1},
		{5, "ng2n1", "nvme2n1", "", 1},
	} {
		g, err := tree.Generic(Dev{245, c.minor})
		if err != nil {
			t.Fatal(err)
		}
		if g.Name != c.name || g.Dev.Value != (Dev{245, c.minor}).String() {
			t.Errorf("245:%d: %q, %q", c.minor, g.Name, g.Dev.Value)
		}
		if g.Block == nil {
			if c.block != "" || g.Sibling == nil || g.Sibling.Name != c.sibling {
				t.Errorf("%s: no block device, sibling %+v", c.name, g.Sibling)
			}
			continue
		}
		if g.Block.Name != c.block || g.Sibling != nil {
			t.Errorf("%s: block device %s, sibling %v", c.name, g.Block.Name, g.Sibling)
		}
		wantInt(t, "nsid of "+c.name, tree.Namespace(g.Block).NSID, c.nsid)
		if back := tree.GenericOf(g.Block); back == nil || back.Name != c.name {
			t.Errorf("%s: the way back leads to %+v", c.block, back)
		}
	}
	for _, d := range []Dev{{1, 3}, {246, 0}, {99, 99}} {
		if g, err := tree.Generic(d); err == nil {
			t.Errorf("%v: %+v, want an error", d, g)
		}
	}
	if g := tree.GenericOf(block(t, tree, 259, 1)); g == nil || g.Name != "ng0n1" {
		t.Errorf("of a partition: %+v", g)
	}
	if g := tree.GenericOf(block(t, tree, 254, 0)); g != nil {
		t.Errorf("of a virtio disk: %+v", g)
	}
	old := fixture(t, "nvme") // without character devices, as before 5.13
	if g := old.GenericOf(block(t, old, 259, 0)); g != nil {
		t.Errorf("on an old kernel: %+v", g)
	}
}

func TestCharacterDevices(t *testing.T) {
	tree := fixture(t, "generic")
	for d, want := range map[Dev]string{
		{1, 3}: "null mem", {245, 0}: "ng0n1 nvme-generic", {246, 1}: "nvme1 nvme",
	} {
		if c, err := tree.Char(d); err != nil || c.Name+" "+c.Class != want {
			t.Errorf("%v: %+v, %v, want %s", d, c, err, want)
		}
	}
	for minor, want := range map[uint32]string{
		0: "nvme0: nvme0n1 nvme0n2 nvme0n3 / ng0n1 ng0n2 ng0n3 ng0n4",
		1: "nvme1: nvme1n1 / ng1n1",
		2: "nvme2: nvme2n1 / ng2n1", // of the subsystem, not the hidden path
		9: "nvme9:  / ",
	} {
		c, err := tree.Controller(Dev{246, minor})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Name + ": " + strings.Join(c.Blocks, " ") + " / " + strings.Join(c.Generics, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if c, err := tree.Controller(Dev{245, 0}); err == nil {
		t.Errorf("a namespace as a controller: %+v", c)
	}
}

func TestNamespaceAttributes(t *testing.T) {
	tree := fixture(t, "generic")
	n := tree.Namespace(block(t, tree, 259, 0))
	wantInt(t, "metadata_bytes", n.MetadataBytes, 0)
	wantInt(t, "nuse", n.NUSE, 16384)
	if n.IntegrityFormat.Value != "none" {
		t.Errorf("integrity/format %+v", n.IntegrityFormat)
	}
	if n := tree.Namespace(block(t, tree, 259, 4)); n.MetadataBytes.State != Absent || n.IntegrityFormat.State != Absent {
		t.Errorf("before 6.8: %+v", n)
	}
}
