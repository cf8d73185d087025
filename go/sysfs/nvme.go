package sysfs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Classes of the character devices of NVMe.
const (
	ClassGeneric    = "nvme-generic" // a namespace, /dev/ngXnY (kernel 5.13)
	ClassController = "nvme"         // a controller, /dev/nvmeX
)

// Char is a character device.
type Char struct {
	Name  string // of its directory in /sys: ng0n1, nvme0, null
	Class string // its class: nvme-generic, mem; empty when it has none

	dir string
}

// Char reads the character device with that number, through /sys/dev/char.
// The error is for a device that is not there at all.
func (t Tree) Char(d Dev) (Char, error) {
	return charAt(t.path("sys/dev/char", d.String()))
}

func charAt(link string) (Char, error) {
	dir, err := filepath.EvalSymlinks(link)
	if err != nil {
		return Char{}, fmt.Errorf("find character device: %w", err)
	}
	class, _ := linkBase(filepath.Join(dir, "subsystem"))
	return Char{Name: filepath.Base(dir), Class: class, dir: dir}, nil
}

// Generic is the character device of an NVMe namespace.
type Generic struct {
	Name string // ng0n1
	Dev  Text   // DIR/dev, "245:0"
	// Block is the block device of the same namespace, which may have no size or
	// be hidden; of multipath, the head. nil when the kernel has made none.
	Block *Block
	// Sibling is a namespace of the same controller when Block is nil: the
	// queues and the driver are those of the controller.
	Sibling *Block
}

var (
	genericName = regexp.MustCompile(`^ng(\d+n\d+)$`)
	pathName    = regexp.MustCompile(`^nvme\d+c\d+n\d+$`)
)

// Generic reads the namespace's character device with that number. The error
// is for a device that is not there or is something else.
func (t Tree) Generic(d Dev) (*Generic, error) {
	c, err := t.Char(d)
	if err != nil {
		return nil, err
	}
	return t.genericAt(c)
}

// genericAt finds the block device: both hang on the same parent (a
// controller; for multipath, the subsystem) and have the same numbers.
func (t Tree) genericAt(c Char) (*Generic, error) {
	m := genericName.FindStringSubmatch(c.Name)
	if c.Class != ClassGeneric || m == nil {
		return nil, fmt.Errorf("%s is not the character device of an NVMe namespace", c.Name)
	}
	g := &Generic{Name: c.Name, Dev: readText(filepath.Join(c.dir, "dev"))}
	parent := filepath.Dir(c.dir)
	if dir := filepath.Join(parent, "nvme"+m[1]); isDisk(dir) {
		b, err := t.blockAt(dir, 0)
		if err != nil {
			return nil, err
		}
		g.Block = b
		return g, nil
	}
	for _, name := range readNames(parent) {
		dir := filepath.Join(parent, name)
		if (nvmeHead.MatchString(name) || pathName.MatchString(name)) && isDisk(dir) {
			g.Sibling, _ = t.blockAt(dir, 0)
			break
		}
	}
	return g, nil
}

// GenericOf finds the character device of the namespace that a block device
// is, or is a partition of. It is nil when there is none: the disk is not NVMe
// or the kernel is older than 5.13.
func (t Tree) GenericOf(b *Block) *Generic {
	m := nvmeHead.FindStringSubmatch(b.Disk)
	if m == nil {
		return nil
	}
	c, err := charAt(filepath.Join(filepath.Dir(b.dir), "ng"+m[1]+"n"+m[2]))
	if err != nil {
		return nil
	}
	g, err := t.genericAt(c)
	if err != nil {
		return nil
	}
	return g
}

// isDisk tells a disk, hidden or not, from other entries of a device.
func isDisk(dir string) bool { return exists(filepath.Join(dir, "size")) }

// Controller is an NVMe controller.
type Controller struct {
	Name string // nvme0
	// Blocks and Generics are the names of its namespaces' devices, sorted; of
	// multipath, the heads.
	Blocks, Generics []string
}

// Controller reads the controller with that number of a character device.
func (t Tree) Controller(d Dev) (*Controller, error) {
	c, err := t.Char(d)
	if err != nil {
		return nil, err
	}
	if c.Class != ClassController {
		return nil, fmt.Errorf("%s is not an NVMe controller", c.Name)
	}
	out := &Controller{Name: c.Name}
	add := func(dir string) {
		for _, name := range readNames(dir) {
			switch {
			case nvmeHead.MatchString(name) && isDisk(filepath.Join(dir, name)):
				out.Blocks = append(out.Blocks, name)
			case genericName.MatchString(name):
				out.Generics = append(out.Generics, name)
			}
		}
	}
	add(c.dir)
	// A subsystem links to its controllers, not the other way round.
	subsystems := t.path("sys/class/nvme-subsystem")
	for _, name := range readNames(subsystems) {
		if dir := filepath.Join(subsystems, name); exists(filepath.Join(dir, c.Name)) {
			add(dir)
		}
	}
	slices.SortFunc(out.Blocks, byNumbers)
	slices.SortFunc(out.Generics, byNumbers)
	return out, nil
}

// byNumbers puts ng0n2 before ng0n10.
func byNumbers(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// Namespace holds what sysfs tells of an NVMe namespace's format, in the
// directory of its block device.
type Namespace struct {
	NSID          Int // DISK/nsid
	MetadataBytes Int // DISK/metadata_bytes, per LBA, 6.8
	NUSE          Int // DISK/nuse, LBAs, 6.8
	// IntegrityFormat is DISK/integrity/format: T10-DIF-TYPE1-CRC (of type 2 as
	// well), T10-DIF-TYPE3-CRC, EXT-DIF-TYPE1-CRC64, nop (separate metadata that
	// is no protection information) or none (nothing that the kernel passes on).
	IntegrityFormat Text
}

// Namespace reads it.
func (t Tree) Namespace(b *Block) Namespace {
	num := func(name string) Int { return readInt(filepath.Join(b.dir, name)) }
	return Namespace{
		NSID:            num("nsid"),
		MetadataBytes:   num("metadata_bytes"),
		NUSE:            num("nuse"),
		IntegrityFormat: readText(filepath.Join(b.dir, "integrity/format")),
	}
}
