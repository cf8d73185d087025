package device

import (
	"encoding/binary"
	"fmt"
	"math"
)

// namespace is what the Identify Namespace data structure says (NVM command
// set specification, "Identify Namespace Data Structure", CNS 00h).
type namespace struct {
	lbas, used    int64 // NSZE, NUSE
	lbaBytes      int64
	metadataBytes int64 // per LBA
	interleaved   bool  // FLBAS bit 4: metadata follows each LBA
	piType        int64 // DPS bits 2:0; 0 is none
	format        int   // index of the format in use
}

const maxLBAShift = 24 // 16 MiB; no drive comes near

func parseNamespace(b []byte) (namespace, error) {
	if len(b) != identifyBytes {
		return namespace{}, fmt.Errorf("the Identify Namespace structure has %d bytes, not %d", len(b), identifyBytes)
	}
	size, used := binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[16:])
	flbas, dps := b[26], b[29]
	if size == 0 {
		return namespace{}, fmt.Errorf("the Identify Namespace structure says 0 LBAs: the namespace is not active")
	}
	n := namespace{
		interleaved: flbas&0x10 != 0,
		piType:      int64(dps & 7),
		// Bits 6:5 are the upper ones where there are more than 16 formats.
		format: int(flbas&0xf) | int(flbas>>5&3)<<4,
	}
	lbaf := b[128+4*n.format:] // at most 64 entries of 4 bytes: up to byte 384
	n.metadataBytes = int64(binary.LittleEndian.Uint16(lbaf))
	shift := lbaf[2]
	if shift < 9 || shift > maxLBAShift {
		return namespace{}, fmt.Errorf("the Identify Namespace structure says 2^%d bytes per LBA in format %d", shift, n.format)
	}
	n.lbaBytes = 1 << shift
	// With the metadata, too, sizes in bytes have to fit.
	if size > uint64(math.MaxInt64/(n.lbaBytes+n.metadataBytes)) {
		return namespace{}, fmt.Errorf("the Identify Namespace structure says %d LBAs of %d bytes", size, n.lbaBytes)
	}
	n.lbas, n.used = int64(size), int64(min(used, size))
	if n.metadataBytes == 0 { // then neither means anything
		n.interleaved, n.piType = false, 0
	}
	return n, nil
}

// controllerID is what the Identify Controller data structure says (NVMe base
// specification, CNS 01h).
type controllerID struct {
	// mdts is the largest transfer, 2^mdts units of the smallest page that the
	// controller knows (CAP.MPSMIN, which is not in here: 4 KiB or more); 0 is
	// no limit.
	mdts        uint8
	extendedLBA bool // CTRATT bit 15, ELBAS: up to 64 formats, other guards
}

func parseController(b []byte) (controllerID, error) {
	if len(b) != identifyBytes {
		return controllerID{}, fmt.Errorf("the Identify Controller structure has %d bytes, not %d", len(b), identifyBytes)
	}
	return controllerID{
		mdts:        b[77],
		extendedLBA: binary.LittleEndian.Uint32(b[96:])&(1<<15) != 0,
	}, nil
}

// maxTransfer is in bytes, 0 for no limit, with pages of 4 KiB, the smallest
// there are: never more than the controller takes.
func (c controllerID) maxTransfer() int64 {
	if c.mdts == 0 || c.mdts > 40 {
		return 0
	}
	return 4096 << c.mdts
}

// parseGuard returns the bits of the guard of a format: ELBAF in the I/O
// Command Set specific Identify Namespace data structure of the NVM command
// set (CNS 05h, CSI 00h), 4 bytes each from byte 12, bits 8:7.
func parseGuard(b []byte, format int) (int64, error) {
	if len(b) != identifyBytes || format < 0 || format > 63 {
		return 0, fmt.Errorf("the Identify structure has %d bytes, and the format is %d", len(b), format)
	}
	switch pif := binary.LittleEndian.Uint32(b[12+4*format:]) >> 7 & 3; pif {
	case 0:
		return 16, nil
	case 1:
		return 32, nil
	case 2:
		return 64, nil
	default:
		return 0, fmt.Errorf("protection information format %d", pif)
	}
}
