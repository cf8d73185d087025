package device

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
)

// From <linux/nvme_ioctl.h>, as on x86-64 and arm64.
const (
	nvmeIoctlID       = 0x4e40     // _IO('N', 0x40): returns the namespace identifier
	nvmeIoctlAdminCmd = 0xc0484e41 // _IOWR('N', 0x41, struct nvme_admin_cmd)
)

// adminCmd is struct nvme_admin_cmd (nvme_passthru_cmd).
type adminCmd struct {
	opcode, flags                            uint8
	_                                        uint16
	nsid, cdw2, cdw3                         uint32
	metadata, addr                           uint64
	metadataLen, dataLen                     uint32
	cdw10, cdw11, cdw12, cdw13, cdw14, cdw15 uint32
	timeoutMS                                uint32 // 0: the kernel's; a short one would end in a reset of the controller
	result                                   uint32
}

// The size is part of the ioctl's number.
var _ [72]byte = [unsafe.Sizeof(adminCmd{})]byte{}

const opIdentify = 0x06

// Values of CNS, which select what is identified.
const (
	cnsNamespace    = 0x00
	cnsController   = 0x01
	cnsNVMNamespace = 0x05 // of the NVM command set, with the guard sizes
)

const identifyBytes = 4096

// namespaceID asks the kernel, which needs no privilege.
func namespaceID(fd int) (int64, error) {
	n, err := unix.IoctlRetInt(fd, nvmeIoctlID)
	return int64(n), err
}

// identify sends the Identify command. Kernels before 6.2 let CAP_SYS_ADMIN
// only (EACCES); later ones anybody who could open the device, for the CNS
// values above.
func identify(fd int, nsid, cns uint32) ([]byte, error) {
	// The kernel writes behind Go's back, so the memory is not Go's.
	data, err := unix.Mmap(-1, 0, identifyBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("memory for Identify: %w", err)
	}
	defer unix.Munmap(data)
	cmd := &adminCmd{opcode: opIdentify, nsid: nsid, cdw10: cns, addr: uint64(uintptr(unsafe.Pointer(&data[0]))), dataLen: identifyBytes}
	var status uintptr
	err = retry(func() error {
		r, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), nvmeIoctlAdminCmd, uintptr(unsafe.Pointer(cmd)))
		if errno != 0 {
			return errno
		}
		status = r
		return nil
	})
	runtime.KeepAlive(cmd)
	if err != nil {
		return nil, err
	}
	if status != 0 {
		return nil, fmt.Errorf("NVMe status %s", result.DecodeNVMeStatus(uint32(status)))
	}
	return append([]byte(nil), data...), nil
}

// identified is what the drive itself says. guardBits is 0 when not known.
func identified(fd int, nsid uint32) (ns namespace, ctrl controllerID, guardBits int64, err error) {
	b, err := identify(fd, nsid, cnsNamespace)
	if err != nil {
		return
	}
	if ns, err = parseNamespace(b); err != nil {
		return
	}
	if b, err = identify(fd, 0, cnsController); err != nil {
		return
	}
	if ctrl, err = parseController(b); err != nil {
		return
	}
	if !ctrl.extendedLBA {
		return ns, ctrl, 16, nil // other guards came with the extended formats
	}
	if b, err := identify(fd, nsid, cnsNVMNamespace); err == nil {
		guardBits, _ = parseGuard(b, ns.format)
	}
	return ns, ctrl, guardBits, nil
}
