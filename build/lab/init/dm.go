package main

import (
	"fmt"
	"os"
	"unsafe"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

// dmRequest is the one buffer of a device-mapper call: header, one target, its text.
type dmRequest struct {
	head   unix.DmIoctl
	target unix.DmTargetSpec
	params [128]byte
}

// makeLinear maps the first MiB of the device below one to one: create, load a table, resume.
func makeLinear(d plan.Device) (string, error) {
	control, err := os.OpenFile("/dev/mapper/control", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer control.Close()
	call := func(what string, request uintptr, r *dmRequest) error {
		r.head.Version = [3]uint32{4, 0, 0}
		r.head.Data_size = uint32(unsafe.Sizeof(*r))
		r.head.Data_start = uint32(unsafe.Offsetof(r.target))
		copy(r.head.Name[:len(r.head.Name)-1], d.Name)
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, control.Fd(), request, uintptr(unsafe.Pointer(r))); errno != 0 {
			return fmt.Errorf("%s: %w", what, errno)
		}
		return nil
	}

	created := &dmRequest{}
	if err := call("create it", unix.DM_DEV_CREATE, created); err != nil {
		return "", err
	}
	table := &dmRequest{}
	table.head.Target_count = 1
	table.target.Length = uint64(d.MiB) << 20 / 512
	copy(table.target.Target_type[:], "linear")
	lower, err := os.Readlink(plan.Dir + d.Over)
	if err != nil {
		return "", err
	}
	copy(table.params[:len(table.params)-1], lower+" 0")
	if err := call("load its table", unix.DM_TABLE_LOAD, table); err != nil {
		return "", err
	}
	// A resume is a suspend without the suspend flag.
	if err := call("resume it", unix.DM_DEV_SUSPEND, &dmRequest{}); err != nil {
		return "", err
	}
	node := fmt.Sprintf("dm-%d", unix.Minor(created.head.Dev))
	return node, exists(node)
}
