package device

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Tests in this file open the NVMe devices of the lab (build/lab) and send
// commands to them. Nothing of the kind is done to anybody's own drive.

func lab(t *testing.T) {
	t.Helper()
	if os.Getenv("RINGPEAK_LAB") == "" {
		t.Skip("only in the lab: RINGPEAK_LAB is not set")
	}
}

// labGenerics lists the character devices. Kernel 5.10 is too old to have any.
func labGenerics(t *testing.T) []string {
	t.Helper()
	lab(t)
	found, _ := filepath.Glob("/dev/ng*n*")
	if len(found) == 0 {
		if os.Getenv("RINGPEAK_LAB_KERNEL") != "5.10" {
			t.Fatal("the lab has no /dev/ngXnY, but every kernel from 5.13 on should")
		}
		t.Skip("no /dev/ngXnY before kernel 5.13")
	}
	return found
}

var through = Options{BlockSize: 4096, Passthrough: true}

// TestLabFormats holds each namespace against what the lab asked QEMU for.
func TestLabFormats(t *testing.T) {
	labGenerics(t)
	for name, want := range map[string]string{
		"nvme-poll":      "512 none 0/0, 524288 bytes, yes",
		"nvme-poll-4k":   "4096 none 0/0, 524288 bytes, yes",
		"nvme-irq":       "512 none 0/0, 524288 bytes, no",
		"nvme-pi":        "4096 pract 8/1, 524288 bytes, yes",
		"nvme-ms8":       "4096 buffer 8/0, 524288 bytes, yes",
		"nvme-ms64":      "4096 buffer 64/0, 524288 bytes, yes",
		"nvme-pi-inter":  "512 pract 8/1, 524288 bytes, yes",
		"nvme-ms8-inter": "4096 interleaved 8/0, 524288 bytes, yes",
		"nvme-mdts":      "512 none 0/0, 16384 bytes, yes",
	} {
		tg := open(t, "/dev/lab/"+name+"-char", through)
		got := fmt.Sprintf("%d %s %d/%d, %d bytes, %s", *tg.LogicalBlockBytes, tg.Metadata, *tg.MetadataBytes, *tg.PIType, *tg.MaxTransferBytes, tg.CanPoll)
		if got != want || tg.Geometry != result.GeometryIdentify {
			t.Errorf("%s: %s by %s, want %s", name, got, tg.Geometry, want)
		}
		if want := strings.HasSuffix(name, "-inter"); *tg.MetadataInterleaved != want {
			t.Errorf("%s: interleaved %v", name, *tg.MetadataInterleaved)
		}
		t.Logf("%s: %s, %d LBAs, poll queues %v on %v of %v", name, tg.Path, *tg.LBAs, opt(tg.PollQueues), tg.PollMap, tg.IRQOwners)
	}
}

// TestLabGeometryTwice compares what the drive says with what sysfs says, as
// far as that goes.
func TestLabGeometryTwice(t *testing.T) {
	tree := sysfs.At("")
	for _, path := range labGenerics(t) {
		tg := open(t, path, through)
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			t.Fatal(err)
		}
		g, err := tree.Generic(sysfs.MakeDev(uint64(st.Rdev)))
		if err != nil || g.Block == nil {
			t.Fatalf("%s: %+v, %v", path, g, err)
		}
		attrs := tree.Namespace(g.Block)
		other := &result.Target{}
		fromSysfs(other, g.Block, attrs)
		same := func(what string, identify, sysfs result.OptInt) {
			if identify == nil || sysfs != nil && *identify != *sysfs {
				t.Errorf("%s: %s is %s by Identify, %s by sysfs", path, what, opt(identify), opt(sysfs))
			}
		}
		same("NSID", tg.NSID, attrs.NSID.Ptr())
		same("LBAs", tg.LBAs, other.LBAs)
		same("LBA size", tg.LogicalBlockBytes, other.LogicalBlockBytes)
		same("NUSE", tg.NUSE, other.NUSE)
		same("metadata", tg.MetadataBytes, other.MetadataBytes)
		same("PI type", tg.PIType, other.PIType)
		if other.LBAs == nil && tg.Metadata != result.MetadataInterleaved {
			t.Errorf("%s: no size in sysfs, but metadata %q", path, tg.Metadata)
		}
		if other.MetadataInterleaved != nil && *other.MetadataInterleaved != *tg.MetadataInterleaved {
			t.Errorf("%s: interleaved %v by Identify, %v by sysfs", path, *tg.MetadataInterleaved, *other.MetadataInterleaved)
		}
		if other.Metadata != "" && other.Metadata != tg.Metadata {
			t.Errorf("%s: metadata %q by Identify, %q by sysfs", path, tg.Metadata, other.Metadata)
		}
		if attrs.MetadataBytes.OK() && other.Metadata == "" {
			t.Errorf("%s: sysfs has metadata_bytes %d and format %q, and nothing follows", path, attrs.MetadataBytes.Value, attrs.IntegrityFormat.Value)
		}
		if want := *tg.LBAs * *tg.LogicalBlockBytes; tg.SizeBytes != want || tg.Blocks != want/4096 {
			t.Errorf("%s: size %d, blocks %d", path, tg.SizeBytes, tg.Blocks)
		}
		t.Logf("%s: sysfs says %q with integrity format %q and %s bytes of metadata", path, other.Metadata, attrs.IntegrityFormat.Value, opt(other.MetadataBytes))
	}
}

// TestLabReads reads the first and the last block of each namespace in the way
// that Metadata says, then one too far, and too much.
func TestLabReads(t *testing.T) {
	for _, path := range labGenerics(t) {
		tg := open(t, path, through)
		lba := *tg.LogicalBlockBytes
		blocks := max(1, 4096/lba)
		for _, slba := range []int64{0, 1, *tg.LBAs - blocks} {
			if s, err := labRead(t, tg, slba, blocks); s != 0 || err != nil {
				t.Errorf("%s, LBA %d: %s, %v", path, slba, result.DecodeNVMeStatus(s), err)
			}
		}
		s, err := labRead(t, tg, *tg.LBAs-blocks+1, blocks)
		if got := result.DecodeNVMeStatus(s); err != nil || got.Type != 0 || got.Code != 0x80 {
			t.Errorf("%s, one LBA too far: %s, %v", path, got, err)
		} else {
			t.Logf("%s, one LBA too far: %s", path, got)
		}
		most := *tg.MaxTransferBytes / tg.TransferBytes(lba)
		// Some kernels copy a buffer of too many pieces, others refuse it.
		scattered := tg.MaxSegments != nil && tg.TransferBytes(most*lba) > *tg.MaxSegments*pageBytes
		if s, err := labRead(t, tg, 0, most); scattered && errors.Is(err, unix.EINVAL) {
			t.Logf("%s, %d LBAs in single pages, more than %d: %v", path, most, *tg.MaxSegments, err)
		} else if s != 0 || err != nil {
			t.Errorf("%s, %d LBAs: %s, %v", path, most, result.DecodeNVMeStatus(s), err)
		}
		if s, err := labRead(t, tg, 0, most+1); s == 0 && err == nil {
			t.Errorf("%s: %d LBAs work, above the limit of %d bytes", path, most+1, *tg.MaxTransferBytes)
		}
		refused(t, path, Options{BlockSize: (most + 1) * lba, Passthrough: true}, 2, "one, and passthrough is never split")
		open(t, path, Options{BlockSize: most * lba, Passthrough: true})
	}
}

// labRead sends one Read command and waits for it. status is of NVMe.
func labRead(t *testing.T, tg *result.Target, slba, blocks int64) (status uint32, err error) {
	t.Helper()
	bs := blocks * *tg.LogicalBlockBytes
	data := labMemory(t, tg.TransferBytes(bs))
	cmd := &adminCmd{
		opcode: 0x02, nsid: uint32(*tg.NSID), addr: uint64(uintptr(unsafe.Pointer(&data[0]))), dataLen: uint32(tg.TransferBytes(bs)),
		cdw10: uint32(slba), cdw11: uint32(slba >> 32), cdw12: uint32(blocks - 1),
	}
	if n := tg.MetadataBuffer(bs); n > 0 {
		meta := labMemory(t, n)
		cmd.metadata, cmd.metadataLen = uint64(uintptr(unsafe.Pointer(&meta[0]))), uint32(n)
	}
	if tg.Metadata == result.MetadataPRACT {
		cmd.cdw12 |= 1 << 29
	}
	const nvmeIoctlIOCmd = 0xc0484e43 // _IOWR('N', 0x43, struct nvme_passthru_cmd)
	r, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(tg.FD), nvmeIoctlIOCmd, uintptr(unsafe.Pointer(cmd)))
	if errno != 0 {
		return 0, errno
	}
	return uint32(r), nil
}

func labMemory(t *testing.T, n int64) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

func opt(v result.OptInt) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprint(*v)
}

func TestLabTwins(t *testing.T) {
	lab(t)
	found, _ := filepath.Glob("/dev/nvme*n*")
	if len(found) == 0 {
		t.Fatal("the lab has no NVMe namespaces")
	}
	generics, _ := filepath.Glob("/dev/ng*n*")
	for _, block := range found {
		ng := "/dev/ng" + strings.TrimPrefix(block, "/dev/nvme")
		if len(generics) == 0 {
			refused(t, block, through, 4, "has no character device /dev/ngXnY", "kernel 5.13")
			continue
		}
		refused(t, block, through, 2, block+" is the block device; passthrough (-u1) goes through "+ng)
		o := through
		o.Follow = true
		tg := open(t, block, o)
		if tg.Resolved != ng || "/dev/"+tg.Disk != block || tg.Kind != result.KindGeneric {
			t.Errorf("%s leads to %s of %s", block, tg.Resolved, tg.Disk)
		}
		if tg.Metadata == result.MetadataInterleaved {
			refused(t, ng, direct, 2, "no usable block device")
			refused(t, block, direct, 4, "has a size of 0", "passthrough (-u1)")
			continue
		}
		refused(t, ng, direct, 2, ng+" is the character device", "the block device is "+block)
		back := open(t, ng, Options{BlockSize: 4096, Direct: true, Follow: true})
		if back.Resolved != block || back.Kind != result.KindBlock || back.SizeBytes != tg.SizeBytes {
			t.Errorf("%s leads to %+v; its twin has %d bytes", ng, back, tg.SizeBytes)
		}
	}
	refused(t, "/dev/nvme0", direct, 4, "is an NVMe controller; name a namespace of it: /dev/nvme0n1")
}
