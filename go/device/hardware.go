package device

import (
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// hardware copies how the target's disk is attached, b, or nil when sysfs has
// none. The queue is that of the disk itself. Of a disk that is made of others,
// the rest is what all of those have in common.
func hardware(t *result.Target, b *sysfs.Block, tree sysfs.Tree) {
	if b == nil {
		return
	}
	own := tree.Hardware(b)
	if t.Disk == b.Disk { // and not a neighbour on its controller
		t.RQAffinity = own.RQAffinity.Ptr()
		t.WriteCache = own.WriteCache.Value
		t.ChunkSectors = own.ChunkSectors.Ptr()
	}
	if t.Kind != result.KindGeneric { // which has its format from Identify
		t.LBAMetadataBytes = own.MetadataBytes.Ptr()
		t.Integrity = own.Integrity.Value
	}
	var all []sysfs.Hardware
	for _, l := range b.Lowest() {
		all = append(all, tree.Hardware(l))
	}
	t.Firmware = agreed(all, func(h *sysfs.Hardware) sysfs.Text { return h.Firmware }).Value
	t.Transport = agreed(all, func(h *sysfs.Hardware) sysfs.Text { return h.Transport }).Value
	t.PCI = agreed(all, func(h *sysfs.Hardware) sysfs.Text { return h.PCI }).Value
	t.IOMMU = agreed(all, func(h *sysfs.Hardware) sysfs.Text { return h.IOMMU }).Value
	t.LinkGTPerSecond = agreed(all, func(h *sysfs.Hardware) sysfs.Attr[float64] { return h.Link.GTPerSecond }).Ptr()
	t.MaxLinkGTPerSecond = agreed(all, func(h *sysfs.Hardware) sysfs.Attr[float64] { return h.Link.MaxGTPerSecond }).Ptr()
	t.LinkLanes = agreed(all, func(h *sysfs.Hardware) sysfs.Int { return h.Link.Lanes }).Ptr()
	t.MaxLinkLanes = agreed(all, func(h *sysfs.Hardware) sysfs.Int { return h.Link.MaxLanes }).Ptr()
}

// agreed is the attribute that all disks have with one value; absent when one
// lacks it or differs.
func agreed[T comparable](all []sysfs.Hardware, of func(*sysfs.Hardware) sysfs.Attr[T]) sysfs.Attr[T] {
	var out sysfs.Attr[T]
	for i := range all {
		a := of(&all[i])
		switch {
		case !a.OK():
			return sysfs.Attr[T]{}
		case i == 0:
			out = a
		case a.Value != out.Value:
			return sysfs.Attr[T]{}
		}
	}
	return out
}
