package device

import (
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
	"ringpeak/go/sysfs/sysfstest"
)

// TestHardware: what a disk is attached by is its own, or of a disk that is
// made of several what they have in common.
func TestHardware(t *testing.T) {
	const dir = "../sysfs/testdata/fixtures/"
	tree := sysfs.At(sysfstest.Load(t, dir+"nvme.txtar", dir+"environment.txtar"))
	of := func(kind result.TargetKind, name string) *result.Target {
		t.Helper()
		b, err := tree.BlockNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		g := &result.Target{Kind: kind, Disk: b.Disk}
		hardware(g, b, tree)
		return g
	}
	g := of(result.KindBlock, "nvme0n1p1")
	if g.Firmware != "ACME1.23" || g.PCI != "0000:81:00.0" || g.IOMMU != "DMA-FQ" || g.Transport != "pcie" || g.WriteCache != "write back" ||
		*g.LinkGTPerSecond != 8 || *g.MaxLinkGTPerSecond != 16 || *g.LinkLanes != 2 || *g.MaxLinkLanes != 4 ||
		*g.RQAffinity != 1 || *g.ChunkSectors != 256 || *g.LBAMetadataBytes != 8 || g.Integrity != "T10-DIF-TYPE1-CRC" {
		t.Errorf("%+v", g.Hardware)
	}
	if g := of(result.KindGeneric, "nvme0n1"); g.LBAMetadataBytes != nil || g.Integrity != "" || g.Firmware != "ACME1.23" || g.RQAffinity == nil {
		t.Errorf("passthrough: %+v", g.Hardware)
	}
	if g := of(result.KindBlock, "nvme2n1"); g.LinkLanes != nil || g.RQAffinity != nil || g.Firmware != "" || g.PCI == "" {
		t.Errorf("without attributes: %+v", g.Hardware)
	}
	b, _ := tree.BlockNamed("nvme0n1")
	neighbour := &result.Target{Kind: result.KindGeneric} // a namespace without a disk
	hardware(neighbour, b, tree)
	if neighbour.RQAffinity != nil || neighbour.WriteCache != "" || neighbour.Firmware != "ACME1.23" {
		t.Errorf("a neighbour's queue: %+v", neighbour.Hardware)
	}
	nothing := &result.Target{}
	hardware(nothing, nil, tree)
	if nothing.Hardware != (result.Hardware{}) {
		t.Errorf("of nothing: %+v", nothing.Hardware)
	}
}

func TestAgreed(t *testing.T) {
	disk := func(fw sysfs.Text) sysfs.Hardware { return sysfs.Hardware{Firmware: fw} }
	firmware := func(h *sysfs.Hardware) sysfs.Text { return h.Firmware }
	a, b, none := disk(sysfs.Have("A")), disk(sysfs.Have("B")), disk(sysfs.Text{})
	for _, c := range []struct {
		all  []sysfs.Hardware
		want string
	}{
		{nil, ""},
		{[]sysfs.Hardware{a}, "A"},
		{[]sysfs.Hardware{a, a}, "A"},
		{[]sysfs.Hardware{a, b}, ""},
		{[]sysfs.Hardware{a, none}, ""},
		{[]sysfs.Hardware{none, a}, ""},
	} {
		if got := agreed(c.all, firmware); got.Value != c.want || got.OK() != (c.want != "") {
			t.Errorf("%v: %+v, want %q", c.all, got, c.want)
		}
	}
}
