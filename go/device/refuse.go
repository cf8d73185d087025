package device

import (
	"errors"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

const targetsAre = "a block device or a regular file"

// kindOf accepts regular files, block devices, and the character devices of
// NVMe namespaces.
func kindOf(path string, st *unix.Stat_t, tree sysfs.Tree) (result.TargetKind, error) {
	refuse := func(what string) (result.TargetKind, error) {
		return "", result.Errorf(result.StatusSetup, "%s is %s; a target is %s", display(path), what, targetsAre)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return result.KindFile, nil
	case unix.S_IFBLK:
		return result.KindBlock, nil
	case unix.S_IFCHR:
		return charDevice(path, st, tree)
	case unix.S_IFDIR:
		return refuse("a directory")
	case unix.S_IFIFO:
		return refuse("a fifo")
	case unix.S_IFSOCK:
		return refuse("a socket")
	}
	return refuse("neither a file nor a device")
}

// statError words the failure to find a path.
func statError(path string, err error) error {
	name := display(path)
	switch {
	case errors.Is(err, unix.ENOENT):
		var st unix.Stat_t
		if unix.Lstat(path, &st) == nil {
			return result.Because(err, result.StatusSetup, "%s is a symlink that leads nowhere", name)
		}
		return result.Because(err, result.StatusSetup, "%s does not exist; check the name", name)
	case errors.Is(err, unix.ENOTDIR):
		return result.Because(err, result.StatusSetup, "%s does not exist, a part of its path is not a directory", name)
	case errors.Is(err, unix.EACCES):
		return result.Because(err, result.StatusSetup, "%s lies in a directory that this user may not search", name)
	case errors.Is(err, unix.ELOOP):
		return result.Because(err, result.StatusSetup, "%s goes through too many symlinks", name)
	}
	return result.Errorf(result.StatusSetup, "find %s: %w", name, err)
}

// openError words the failure to open a path that is there.
func openError(path string, kind result.TargetKind, err error) error {
	name := display(path)
	switch {
	case errors.Is(err, unix.EACCES) && kind == result.KindBlock:
		return result.Because(err, result.StatusSetup, "%s may not be read by this user; run as root or join the group of the device", name)
	case errors.Is(err, unix.EACCES):
		return result.Because(err, result.StatusSetup, "%s may not be read by this user; run as its owner or as root", name)
	case errors.Is(err, unix.EPERM) && kind == result.KindBlock:
		// devcgroup_inode_permission is asked after the file's own mode, and binds root too.
		return result.Errorf(result.StatusSetup,
			"%s is forbidden by a device cgroup or security module, which binds root too; give the container the device (docker run --device): %w", name, err)
	case errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		return result.Errorf(result.StatusSetup, "%s is a node without a device behind it: %w", name, err)
	case errors.Is(err, unix.ENOMEDIUM):
		return result.Errorf(result.StatusSetup, "%s holds no medium: %w", name, err)
	case errors.Is(err, unix.EMFILE):
		return result.Errorf(result.StatusSetup, "open %s: %w; raise the limit with ulimit -n", name, err)
	}
	return result.Errorf(result.StatusSetup, "open %s for reading: %w", name, err)
}

func noDirect(path, fsType string, err error) error {
	fs := "its file system"
	if fsType != "" {
		fs += " (" + fsType + ")"
	}
	if err == nil {
		return result.Errorf(result.StatusSetup, "%s: %s does not support O_DIRECT on it; use -O0 for buffered reads", display(path), fs)
	}
	return result.Errorf(result.StatusSetup, "%s: %s does not support O_DIRECT; use -O0 for buffered reads: %w", display(path), fs, err)
}
