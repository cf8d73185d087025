package main

import (
	"bufio"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ringpeak/build/lab/cpio"
	"ringpeak/build/lab/kmod"
	"ringpeak/build/lab/plan"
)

// busybox is for the shell, and for tests that call mount or losetup; without it there is no shell.
const busybox = "/bin/busybox"

// image is an initramfs in the making. It is not compressed: an emulated CPU would take longer to unpack it than
// the host takes to copy it.
type image struct {
	w    *cpio.Writer
	file *os.File
	buf  *bufio.Writer
}

func newImage(path string) (*image, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(f, 1<<20)
	return &image{cpio.NewWriter(buf), f, buf}, nil
}

func (im *image) close() error {
	return errors.Join(im.w.Close(), im.buf.Flush(), im.file.Close())
}

// base adds what every guest has. Without /dev/console the kernel complains before the init can mount /dev.
func (im *image) base(init string) error {
	err := errors.Join(
		im.w.Char("dev/console", 0o600, 5, 1),
		im.w.Dir("root"),
		im.w.File("etc/passwd", 0o644, []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")),
		im.w.File("etc/group", 0o644, []byte("root:x:0:\nnogroup:x:65534:\n")),
		im.add("init", init),
	)
	if err != nil || !hasBusybox() {
		return err
	}
	applets, err := exec.Command(busybox, "--list").Output()
	if err != nil {
		return fmt.Errorf("list busybox's commands: %w", err)
	}
	if err := im.add("bin/busybox", busybox); err != nil {
		return err
	}
	for _, a := range strings.Fields(string(applets)) {
		if a == "busybox" || a == "init" {
			continue
		}
		if err := im.w.Link("bin/"+a, "busybox"); err != nil {
			return err
		}
	}
	return nil
}

func hasBusybox() bool {
	_, err := os.Stat(busybox)
	return err == nil && static(busybox) == nil
}

// add copies a file of the host.
func (im *image) add(name, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return im.w.File(name, uint32(info.Mode().Perm()), data)
}

// tree copies a file or a whole folder. Links stay links: recorded sysfs trees are full of them.
func (im *image) tree(name, from string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		to := path.Join(name, filepath.ToSlash(rel))
		switch {
		case d.IsDir():
			return im.w.Dir(to)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			return im.w.Link(to, target)
		case d.Type().IsRegular():
			return im.add(to, p)
		}
		return fmt.Errorf("%s is neither a file, a folder nor a link", p)
	})
}

// modules adds the kernel's modules, unpacked, and returns them in the order of loading. Debian's newer kernels
// have them packed, and a kernel can be built without the code to unpack them itself.
func (im *image) modules(dir string) ([]plan.Module, error) {
	dep, err := os.Open(filepath.Join(dir, "modules.dep"))
	if err != nil {
		return nil, err
	}
	defer dep.Close()
	builtin, err := os.Open(filepath.Join(dir, "modules.builtin"))
	if err != nil {
		return nil, err
	}
	defer builtin.Close()
	index, err := kmod.Parse(dep, builtin)
	if err != nil {
		return nil, err
	}
	params := map[string]string{}
	var wanted []string
	for _, m := range guestModules {
		params[kmod.Name(m.name)] = m.params
		wanted = append(wanted, m.name)
	}
	load, absent := index.Resolve(wanted...)
	absent = slices.DeleteFunc(absent, func(m string) bool { return mayLack[m] })
	if len(absent) > 0 {
		return nil, fmt.Errorf("the kernel in %s lacks the modules %s", dir, strings.Join(absent, ", "))
	}
	var out []plan.Module
	for _, m := range load {
		data, err := readModule(filepath.Join(dir, m.File))
		if err != nil {
			return nil, err
		}
		to := "/modules/" + m.Name + ".ko"
		if err := im.w.File(to, 0o644, data); err != nil {
			return nil, err
		}
		out = append(out, plan.Module{Name: m.Name, File: to, Params: params[m.Name]})
	}
	return out, nil
}

func readModule(file string) ([]byte, error) {
	tool := map[string]string{".xz": "xz", ".zst": "zstd", ".gz": "gzip"}[filepath.Ext(file)]
	if tool == "" {
		return os.ReadFile(file)
	}
	data, err := exec.Command(tool, "-dc", file).Output()
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", file, err)
	}
	return data, nil
}

// config adds the kernel's configuration where a machine has it. A kernel that an older lab fetched has none.
func (im *image) config(file, release string) error {
	err := im.add("boot/config-"+release, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// plan adds the plan itself, which is complete only when all else is in.
func (im *image) plan(p plan.Plan) error {
	b, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	return im.w.File(plan.Path, 0o644, b)
}

// static refuses a program that needs libraries, which the guest does not have.
func static(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return fmt.Errorf("%s is no program for the guest: %w", file, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("%s needs shared libraries, which the guest has not: build it with CGO_ENABLED=0 or with -ldflags '-linkmode external -extldflags -static'", file)
		}
	}
	return nil
}
