package main

import (
	"fmt"
	"os"

	"ringpeak/build/lab/plan"

	"golang.org/x/sys/unix"
)

// makeLoop makes a loop device of a sparse file. It is not in /tmp, which is to be unmounted in the end.
func makeLoop(d plan.Device) (string, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer control.Close()
	n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
	if err != nil {
		return "", fmt.Errorf("find a free one: %w", err)
	}
	node := fmt.Sprintf("loop%d", n)
	loop, err := os.OpenFile("/dev/"+node, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer loop.Close()
	file, err := os.Create("/run/" + d.Name + ".img")
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := file.Truncate(int64(d.MiB) << 20); err != nil {
		return "", err
	}
	if err := unix.IoctlSetInt(int(loop.Fd()), unix.LOOP_SET_FD, int(file.Fd())); err != nil {
		return "", fmt.Errorf("attach the file: %w", err)
	}
	if err := unix.IoctlSetInt(int(loop.Fd()), unix.LOOP_SET_BLOCK_SIZE, d.LBA); err != nil {
		return "", fmt.Errorf("set %d-byte sectors: %w", d.LBA, err)
	}
	return node, nil
}
