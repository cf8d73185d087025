package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ringpeak/build/lab/plan"
)

// makeDevice makes or finds a device and returns its name in /dev.
func makeDevice(d plan.Device, note func(string, ...any)) (string, error) {
	switch d.Kind {
	case "nvme":
		if node, ok := findNVMe(d.Serial, d.NSID); ok {
			return node, nil
		}
		return "", fmt.Errorf("no namespace %d on a controller with serial number %s after %v", d.NSID, d.Serial, nvmeWait)
	case "virtio":
		return findVirtio(d.Serial)
	case "null":
		return makeNull(d, note)
	case "brd":
		return "ram0", exists("ram0")
	case "dm":
		return makeLinear(d)
	case "loop":
		return makeLoop(d)
	case "zram":
		return "zram0", os.WriteFile("/sys/block/zram0/disksize", []byte(fmt.Sprint(d.MiB<<20)), 0)
	}
	return "", fmt.Errorf("no such kind of device: %s", d.Kind)
}

func exists(node string) error {
	_, err := os.Stat("/dev/" + node)
	return err
}

func findVirtio(serial string) (string, error) {
	disks, _ := filepath.Glob("/sys/block/vd*")
	for _, d := range disks {
		if readString(d+"/serial") == serial {
			return filepath.Base(d), nil
		}
	}
	return "", fmt.Errorf("no virtio disk with serial number %s", serial)
}

// makeNull makes a null_blk through configfs. An attribute that this kernel has not is said and left out.
func makeNull(d plan.Device, note func(string, ...any)) (string, error) {
	dir := "/sys/kernel/config/nullb/" + d.Name
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	var late []string
	for _, a := range append(d.Attrs, "power=1") {
		key, value, _ := strings.Cut(a, "=")
		err := os.WriteFile(filepath.Join(dir, key), []byte(value), 0)
		switch {
		case errors.Is(err, os.ErrPermission) || errors.Is(err, os.ErrNotExist):
			note("device %s: this kernel's null_blk has no %s", d.Name, key)
		case err != nil && key != "power":
			late = append(late, fmt.Sprintf("%s: %v", a, err))
		case err != nil:
			return "", fmt.Errorf("switch it on: %w", err)
		}
	}
	if len(late) > 0 {
		return "", errors.New(strings.Join(late, "; "))
	}
	// Newer kernels name the disk after the folder, older ones by number.
	if exists(d.Name) == nil {
		return d.Name, nil
	}
	node := "nullb" + readString(dir+"/index")
	return node, exists(node)
}
