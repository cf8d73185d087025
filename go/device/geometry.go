package device

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// geometry finds the format of the namespace behind t.FD and what will be done
// with its metadata: by Identify, or from the block device b (nil: none) where
// that is refused.
func geometry(t *result.Target, b *sysfs.Block, tree sysfs.Tree) error {
	var attrs sysfs.Namespace
	if b != nil {
		attrs = tree.Namespace(b)
	}
	nsid, err := namespaceID(t.FD)
	if err == nil && attrs.NSID.OK() && attrs.NSID.Value != nsid {
		return result.Errorf(result.StatusSetup,
			"%s is namespace %d, but %s in sysfs is namespace %d; was it changed just now?", display(t.Path), nsid, b.Name, attrs.NSID.Value)
	}
	if err == nil {
		t.NSID = &nsid
		err = fromIdentify(t, uint32(nsid))
	} else {
		t.NSID = attrs.NSID.Ptr()
	}
	if err != nil {
		t.GeometryWhy = "Identify failed: " + err.Error()
		if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
			t.GeometryWhy = "Identify is refused to this user"
		}
		fromSysfs(t, b, attrs)
	}
	// The kernel's limit accounts for the controller's and for its own.
	if t.MaxHWSectorsKB != nil {
		n := *t.MaxHWSectorsKB * 1024
		t.MaxTransferBytes = &n
	}
	if t.NSID == nil || t.LBAs == nil || t.LogicalBlockBytes == nil {
		return result.Errorf(result.StatusSetup,
			"the geometry of %s cannot be found: %s, and sysfs does not tell either; run as root", display(t.Path), t.GeometryWhy)
	}
	t.SizeBytes = *t.LBAs * *t.LogicalBlockBytes
	return nil
}

func fromIdentify(t *result.Target, nsid uint32) error {
	ns, ctrl, guard, err := identified(t.FD, nsid)
	if err != nil {
		return err
	}
	t.Geometry = result.GeometryIdentify
	t.LBAs, t.NUSE, t.LogicalBlockBytes = &ns.lbas, &ns.used, &ns.lbaBytes
	t.MetadataBytes, t.MetadataInterleaved, t.PIType = &ns.metadataBytes, &ns.interleaved, &ns.piType
	if ns.piType != 0 && guard != 0 {
		t.PIGuardBits = &guard
	}
	if n := ctrl.maxTransfer(); n != 0 {
		t.MaxTransferBytes = &n
	}
	t.Metadata = metadata(ns.metadataBytes, ns.interleaved, ns.piType != 0, guard)
	return nil
}

// metadata decides. The tuple of a 16-bit guard has 8 bytes, those of others
// have 16; the controller strips it if the metadata is nothing else.
func metadata(bytes int64, interleaved, protected bool, guardBits int64) result.Metadata {
	wide := guardBits == 32 || guardBits == 64
	switch {
	case bytes == 0:
		return result.MetadataNone
	case protected && (bytes == 8 && !wide || bytes == 16 && wide):
		return result.MetadataPRACT
	case interleaved:
		return result.MetadataInterleaved
	}
	return result.MetadataBuffer
}

// fromSysfs takes what the block device shows, and leaves the rest unknown.
func fromSysfs(t *result.Target, b *sysfs.Block, attrs sysfs.Namespace) {
	if b == nil {
		return
	}
	t.Geometry = result.GeometrySysfs
	t.NUSE = attrs.NUSE.Ptr()
	lba, size := b.Queue.LogicalBlockSize, b.SizeBytes
	if !lba.OK() || lba.Value < 512 {
		return
	}
	t.LogicalBlockBytes = lba.Ptr()
	// A format that block devices cannot hold shows as a size of 0.
	if size.OK() && size.Value > 0 {
		lbas := size.Value / lba.Value
		t.LBAs = &lbas
	}
	t.MetadataBytes = attrs.MetadataBytes.Ptr()
	format := attrs.IntegrityFormat.Value
	yes, no, none := true, false, int64(0)
	set := func(interleaved result.OptBool, pi, guard int64) {
		t.MetadataInterleaved = interleaved
		t.PIType, t.PIGuardBits = &pi, &guard
	}
	switch {
	case t.MetadataBytes != nil && *t.MetadataBytes == 0:
		t.MetadataInterleaved, t.PIType = &no, &none
	case strings.HasPrefix(format, "T10-DIF-TYPE"):
		set(&no, int64(format[len("T10-DIF-TYPE")]-'0'), 16)
	case strings.HasPrefix(format, "EXT-DIF-TYPE"):
		set(&no, int64(format[len("EXT-DIF-TYPE")]-'0'), 64)
	case format == "nop":
		t.MetadataInterleaved, t.PIType = &no, &none
	case size.OK() && size.Value == 0:
		t.MetadataInterleaved, t.PIType = &yes, &none
	}
	t.Metadata = metadataFromSysfs(t, format)
}

func metadataFromSysfs(t *result.Target, format string) result.Metadata {
	switch n := t.MetadataBytes; {
	case n == nil:
		return "" // before 6.8 the attribute is not there
	case t.PIType != nil && t.MetadataInterleaved != nil:
		guard := int64(0)
		if t.PIGuardBits != nil {
			guard = *t.PIGuardBits
		}
		return metadata(*n, *t.MetadataInterleaved, *t.PIType != 0, guard)
	case t.LBAs != nil && (format == "none" || format == ""):
		// The kernel gives such a namespace a size only when the metadata is
		// protection information and nothing else, and sets PRACT itself.
		return result.MetadataPRACT
	}
	return ""
}
