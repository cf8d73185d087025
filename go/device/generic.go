package device

import (
	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// fillGeneric completes a target that is an NVMe namespace's character device,
// whose Path, Resolved, Kind and FD are set.
func fillGeneric(t *result.Target, st *unix.Stat_t, o Options, tree sysfs.Tree) error {
	if _, err := settle(t, st); err != nil {
		return err
	}
	dev := sysfs.MakeDev(uint64(st.Rdev))
	t.Device = dev.String()
	g, err := tree.Generic(dev)
	if err != nil {
		return result.Errorf(result.StatusSetup, "look up %s in sysfs: %w", display(t.Path), err)
	}
	queues := g.Block
	switch {
	case g.Block != nil:
		describe(t, g.Block)
	case g.Sibling != nil:
		queues = g.Sibling
		describeController(t, queues)
	default:
		t.NUMAWhy = "sysfs shows no disk on the controller of " + g.Name
	}
	if err := geometry(t, g.Block, tree); err != nil {
		return err
	}
	pollQueues(t, queues, tree)
	hardware(t, queues, tree)
	t.CanPoll, t.WhyNotPoll = passthroughPolling(t, queues)
	if err := checkCommand(t, o.BlockSize); err != nil {
		return err
	}
	t.Blocks = t.SizeBytes / o.BlockSize
	return nil
}

// describeController copies what holds for every namespace of a controller.
func describeController(t *result.Target, sibling *sysfs.Block) {
	var of result.Target
	describe(&of, sibling)
	t.Driver, t.Model, t.HWQueues, t.NrRequests, t.IOPoll = of.Driver, of.Model, of.HWQueues, of.NrRequests, of.IOPoll
	t.MaxHWSectorsKB, t.NUMANode, t.NUMAWhy = of.MaxHWSectorsKB, of.NUMANode, of.NUMAWhy
}

// maxLBAs is what the 16 bits of NLB, which is 0-based, can say.
const maxLBAs = 1 << 16

// checkCommand refuses a block size that does not make a valid command, before
// any ring exists: a command is never split.
func checkCommand(t *result.Target, bs int64) error {
	name, lba := display(t.Path), *t.LogicalBlockBytes
	if bs%lba != 0 {
		return result.Errorf(result.StatusUsage, "-b%d is not a multiple of the %d-byte LBAs of %s; use -b%d or a multiple", bs, lba, name, lba)
	}
	if n := bs / lba; n > maxLBAs {
		return result.Errorf(result.StatusUsage, "-b%d is %d LBAs of %d bytes of %s, and one command reads at most %d; use -b%d or less",
			bs, n, lba, name, int64(maxLBAs), lba*maxLBAs)
	}
	if limit, moved := t.MaxTransferBytes, t.TransferBytes(bs); limit != nil && moved > *limit {
		with := ""
		if moved != bs {
			with = ", with interleaved metadata"
		}
		most := *limit / t.TransferBytes(lba) * lba
		return result.Errorf(result.StatusUsage,
			"-b%d makes commands that transfer %d bytes%s, above the %d that %s takes in one, and passthrough is never split; use -b%d or less",
			bs, moved, with, *limit, name, most)
	}
	if t.SizeBytes < bs {
		return result.Errorf(result.StatusUsage,
			"%s holds %d bytes, less than one block of %d; use a smaller -b or a larger target", name, t.SizeBytes, bs)
	}
	return nil
}

// pageBytes is the unit in which memory may be scattered. It is 4 KiB to the
// kernel's NVMe driver whatever the page size of the machine is.
const pageBytes = 4096

func genericNotes(t *result.Target, bs int64) []result.Note {
	name := display(t.Path)
	var out []result.Note
	note := func(code, format string, args ...any) { out = append(out, result.Notef(code, format, args...)) }
	if t.Resolved != "" {
		if g := isGenericName(t.Path); !g && isGenericName(t.Resolved) {
			note("followed", "%s: reads pass through its character device %s", name, display(t.Resolved))
		}
	}
	if t.Geometry == result.GeometrySysfs {
		note("not-identified", "%s: its format is taken from sysfs, since %s; before kernel 6.2 passthrough is for CAP_SYS_ADMIN only",
			name, t.GeometryWhy)
	}
	switch t.Metadata {
	case result.MetadataBuffer:
		note("metadata", "%s: each LBA has %d bytes of metadata, which are read into a buffer of their own", name, *t.MetadataBytes)
	case result.MetadataInterleaved:
		note("metadata", "%s: each LBA is followed by %d bytes of metadata, so a read of %d bytes transfers %d; the metadata does not count as data",
			name, *t.MetadataBytes, bs, t.TransferBytes(bs))
	case result.MetadataPRACT:
		note("metadata", "%s: its protection information is checked and stripped by the controller (PRACT), and not transferred", name)
	case "":
		note("metadata", "%s: it is not known whether its format has metadata, and the first read will tell", name)
	}
	if n := t.MaxSegments; n != nil && t.TransferBytes(bs) > *n*pageBytes {
		note("segments", "%s: a read of %d bytes in pages of %d is more than the %d pieces of memory that one command takes; unless the buffer is contiguous (huge pages, -H), the kernel copies it or refuses the command (EINVAL)",
			name, bs, pageBytes, *n)
	}
	return out
}
