package kmod

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const dep = `kernel/fs/configfs/configfs.ko.xz:
kernel/drivers/block/null_blk/null_blk.ko.xz: kernel/fs/configfs/configfs.ko.xz
kernel/drivers/virtio/virtio_pci.ko: kernel/drivers/virtio/virtio_pci_modern_dev.ko kernel/drivers/virtio/virtio.ko kernel/drivers/virtio/virtio_ring.ko
kernel/drivers/virtio/virtio_ring.ko: kernel/drivers/virtio/virtio.ko
kernel/drivers/virtio/virtio.ko:
kernel/drivers/virtio/virtio_pci_modern_dev.ko:
kernel/drivers/md/dm-mod.ko:
`

const builtin = `kernel/drivers/nvme/host/nvme-core.ko
kernel/drivers/nvme/host/nvme.ko
`

func index(t *testing.T) *Index {
	t.Helper()
	x, err := Parse(strings.NewReader(dep), strings.NewReader(builtin))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		name   string
		wanted []string
		load   []string
		absent []string
	}{
		{"needs first", []string{"null_blk"}, []string{"configfs", "null_blk"}, nil},
		{"once only", []string{"configfs", "null_blk", "null-blk"}, []string{"configfs", "null_blk"}, nil},
		{"needs in an order that loads", []string{"virtio_pci"}, []string{"virtio_pci_modern_dev", "virtio", "virtio_ring", "virtio_pci"}, nil},
		{"dash and underscore", []string{"dm_mod"}, []string{"dm_mod"}, nil},
		{"built in", []string{"nvme", "nvme-core"}, nil, nil},
		{"not in this kernel", []string{"ublk_drv", "dm-mod"}, []string{"dm_mod"}, []string{"ublk_drv"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			load, absent := index(t).Resolve(c.wanted...)
			var names []string
			for _, m := range load {
				names = append(names, m.Name)
			}
			if diff := cmp.Diff(c.load, names); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.absent, absent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFileKeepsItsPacking(t *testing.T) {
	load, _ := index(t).Resolve("null_blk")
	if got := load[1].File; got != "kernel/drivers/block/null_blk/null_blk.ko.xz" {
		t.Error(got)
	}
}

func TestMalformed(t *testing.T) {
	for _, s := range []string{"", "no colon here\n"} {
		if _, err := Parse(strings.NewReader(s), nil); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}
