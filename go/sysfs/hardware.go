package sysfs

import (
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Hardware is what a disk is attached by and how it is set up. Serial numbers
// are not read.
type Hardware struct {
	Firmware  Text // DISK/device/firmware_rev (NVMe), or DISK/device/rev (SCSI)
	Transport Text // DISK/device/transport of NVMe: pcie, tcp, rdma, fc, loop

	PCI  Text // address of the PCI device that the disk hangs on, 0000:81:00.0
	Link Link
	// IOMMU is iommu_group/type of that device: identity, DMA, DMA-FQ; Absent
	// when no IOMMU translates for it.
	IOMMU Text

	RQAffinity    Int  // DISK/queue/rq_affinity: 0, 1, 2
	WriteCache    Text // DISK/queue/write_cache: write back, write through
	ChunkSectors  Int  // DISK/queue/chunk_sectors: I/O across a multiple of so many 512-byte sectors is split; 0 none
	MetadataBytes Int  // DISK/metadata_bytes of NVMe, per LBA (6.8)
	Integrity     Text // DISK/integrity/format
}

// Link is the PCI Express link of a device as it was trained, and the most
// that the device can.
type Link struct {
	GTPerSecond, MaxGTPerSecond Attr[float64] // {current,max}_link_speed, per lane
	Lanes, MaxLanes             Int           // {current,max}_link_width
}

var pciAddress = regexp.MustCompile(`^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$`)

// Hardware reads it, of the whole disk. A disk below which are others (dm, md,
// multipath) has no more than its queue; see Lowest for those.
func (t Tree) Hardware(b *Block) Hardware {
	at := func(name string) string { return filepath.Join(b.dir, name) }
	h := Hardware{
		Firmware:      readText(at("device/firmware_rev")),
		Transport:     readText(at("device/transport")),
		RQAffinity:    readInt(at("queue/rq_affinity")),
		WriteCache:    readText(at("queue/write_cache")),
		ChunkSectors:  readInt(at("queue/chunk_sectors")),
		MetadataBytes: readInt(at("metadata_bytes")),
		Integrity:     readText(at("integrity/format")),
	}
	if h.Firmware.State == Absent {
		h.Firmware = readText(at("device/rev"))
	}
	if dir := t.pciDevice(b); dir != "" {
		h.PCI = Have(filepath.Base(dir))
		h.Link = readLink(dir)
		if group := filepath.Join(dir, "iommu_group"); exists(group) {
			h.IOMMU = readText(filepath.Join(group, "type"))
		}
	}
	return h
}

// pciDevice is the directory of the nearest PCI device above a disk; empty
// when there is none.
func (t Tree) pciDevice(b *Block) string {
	dir, err := filepath.EvalSymlinks(filepath.Join(b.dir, "device"))
	if err != nil {
		return ""
	}
	for ; strings.HasPrefix(dir, t.devices()+"/"); dir = filepath.Dir(dir) {
		if pciAddress.MatchString(filepath.Base(dir)) {
			return dir
		}
	}
	return ""
}

// readLink reads the four attributes. A device without a link, such as one
// that a hypervisor makes up, has width 0 or 255 or speed "Unknown".
func readLink(dir string) Link {
	speed := func(name string) Attr[float64] {
		path := filepath.Join(dir, name)
		return parseAttr(readText(path), path, parseLinkSpeed)
	}
	width := func(name string) Int {
		path := filepath.Join(dir, name)
		return parseAttr(readText(path), path, func(s string) (int64, error) {
			n, err := strconv.ParseInt(s, 10, 64)
			if err == nil && (n < 1 || n > 32) {
				err = errors.New("no PCI Express link is that wide")
			}
			return n, err
		})
	}
	return Link{
		GTPerSecond:    speed("current_link_speed"),
		MaxGTPerSecond: speed("max_link_speed"),
		Lanes:          width("current_link_width"),
		MaxLanes:       width("max_link_width"),
	}
}

// parseLinkSpeed takes the number of "16.0 GT/s PCIe", or "8 GT/s" as older
// kernels have it.
func parseLinkSpeed(s string) (float64, error) {
	number, unit, _ := strings.Cut(s, " ")
	if !strings.HasPrefix(unit, "GT/s") {
		return 0, errors.New("no speed in GT/s")
	}
	return strconv.ParseFloat(number, 64)
}
