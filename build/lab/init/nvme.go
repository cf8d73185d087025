package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

// Controllers are probed side by side, so their numbers differ from boot to boot. Serial numbers do not.
func findNVMe(serial string, nsid int) (string, bool) {
	controllers, _ := filepath.Glob("/sys/class/nvme/nvme*")
	for _, c := range controllers {
		if readString(c+"/serial") != serial {
			continue
		}
		// The number in a namespace's name is not its id either.
		namespaces, _ := filepath.Glob(c + "/nvme*n*")
		for _, n := range namespaces {
			if readString(n+"/nsid") == strconv.Itoa(nsid) {
				return filepath.Base(n), true
			}
		}
	}
	return "", false
}

const nvmeWait = 20 * time.Second

// waitForNVMe waits for namespaces, which appear some time after the driver was loaded.
func waitForNVMe(devices []plan.Device) {
	deadline := time.Now().Add(nvmeWait)
	for _, d := range devices {
		if d.Kind != "nvme" {
			continue
		}
		for {
			if node, ok := findNVMe(d.Serial, d.NSID); ok {
				if _, err := os.Stat("/dev/" + node); err == nil {
					break
				}
			}
			if time.Now().After(deadline) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// format is how a namespace is formatted, as the controller says.
type format struct {
	lba, meta   int
	interleaved bool
	protection  int
}

func (f format) String() string {
	if f.meta == 0 {
		return "-"
	}
	s := fmt.Sprintf("%d separate", f.meta)
	if f.interleaved {
		s = fmt.Sprintf("%d interleaved", f.meta)
	}
	if f.protection != 0 {
		s += fmt.Sprintf(" PI%d", f.protection)
	}
	return s
}

// identify asks the controller itself: what sysfs tells about metadata differs from kernel to kernel.
func identify(node string) (format, error) {
	f, err := os.Open("/dev/" + node)
	if err != nil {
		return format{}, err
	}
	defer f.Close()
	nsid, err := unix.IoctlRetInt(int(f.Fd()), 0x4e40) // NVME_IOCTL_ID
	if err != nil {
		return format{}, fmt.Errorf("namespace id of %s: %w", node, err)
	}
	data, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	if err != nil {
		return format{}, err
	}
	defer func() { _ = unix.Munmap(data) }()
	// struct nvme_admin_cmd of linux/nvme_ioctl.h; what is not named stays 0.
	cmd := struct {
		opcode, flags                                        uint8
		rsvd                                                 uint16
		nsid, cdw2, cdw3                                     uint32
		metadata, addr                                       uint64
		metadataLen, dataLen                                 uint32
		cdw10, cdw11, cdw12, cdw13, cdw14, cdw15, ms, result uint32
	}{opcode: 6, nsid: uint32(nsid), addr: uint64(uintptr(unsafe.Pointer(&data[0]))), dataLen: uint32(len(data))}
	const nvmeIoctlAdminCmd = 0xc0484e41
	if r, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), nvmeIoctlAdminCmd, uintptr(unsafe.Pointer(&cmd))); errno != 0 || r != 0 {
		return format{}, fmt.Errorf("identify %s: status %#x, %w", node, r, errno)
	}
	return parseFormat(data), nil
}

// parseFormat reads an Identify Namespace structure.
func parseFormat(data []byte) format {
	flbas := data[26]
	index := int(flbas&0xf) | int(flbas>>5&3)<<4
	lbaf := data[128+4*index:]
	return format{
		lba:         1 << lbaf[2],
		meta:        int(lbaf[0]) | int(lbaf[1])<<8,
		interleaved: flbas&0x10 != 0,
		protection:  int(data[29] & 7),
	}
}

func readString(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
