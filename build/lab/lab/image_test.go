package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/build/lab/plan"

	"github.com/google/go-cmp/cmp"
)

// moduleFolder makes one that has every module, none with needs, packed as given.
func moduleFolder(t *testing.T, packer string, skip string) string {
	t.Helper()
	dir := t.TempDir()
	var dep strings.Builder
	for _, m := range guestModules {
		if m.name == skip {
			continue
		}
		file := m.name + ".ko"
		if err := os.WriteFile(filepath.Join(dir, file), []byte("code of "+m.name), 0o644); err != nil {
			t.Fatal(err)
		}
		if packer != "" {
			if err := exec.Command(packer, filepath.Join(dir, file)).Run(); err != nil {
				t.Skipf("%s: %v", packer, err)
			}
			file += map[string]string{"xz": ".xz", "gzip": ".gz"}[packer]
		}
		dep.WriteString(file + ":\n")
	}
	for name, text := range map[string]string{"modules.dep": dep.String(), "modules.builtin": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestModulesAreUnpacked(t *testing.T) {
	for _, packer := range []string{"", "xz", "gzip"} {
		file := filepath.Join(t.TempDir(), "initrd")
		im, err := newImage(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := im.modules(moduleFolder(t, packer, ""))
		if err != nil {
			t.Fatal(err)
		}
		if err := im.close(); err != nil {
			t.Fatal(err)
		}
		want := plan.Module{Name: "null_blk", File: "/modules/null_blk.ko", Params: "nr_devices=0 queue_mode=2 submit_queues=2 poll_queues=2"}
		found := false
		for _, m := range got {
			found = found || cmp.Equal(m, want)
		}
		archive, err := os.ReadFile(file)
		if err != nil || !found || !bytes.Contains(archive, []byte("code of null_blk")) {
			t.Errorf("%q: %v, %+v", packer, err, got)
		}
	}
}

func TestModuleThatIsMissing(t *testing.T) {
	for name, ok := range map[string]bool{"null_blk": false, "lzo-rle": true} {
		im, err := newImage(filepath.Join(t.TempDir(), "initrd"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := im.modules(moduleFolder(t, "", name)); (err == nil) != ok {
			t.Errorf("without %s: %v", name, err)
		}
		if err := im.close(); err != nil {
			t.Fatal(err)
		}
	}
}

// The kernel's configuration lies where machines have it; a kernel that was fetched without one boots all the same.
func TestConfig(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	for _, text := range []string{"", "CONFIG_BLOCK=y"} {
		if text != "" {
			if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(t.TempDir(), "initrd")
		im, err := newImage(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(im.config(config, "6.12.1"), im.close()); err != nil {
			t.Fatal(err)
		}
		archive, err := os.ReadFile(file)
		if err != nil || bytes.Contains(archive, []byte("boot/config-6.12.1\x00")) != (text != "") || !bytes.Contains(archive, []byte(text)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTreeKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../nowhere", filepath.Join(dir, "a/link")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "initrd")
	im, err := newImage(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.tree("/src/testdata", dir); err != nil {
		t.Fatal(err)
	}
	if err := im.close(); err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"src/testdata/a/b\x00", "src/testdata/a/link\x00", "../nowhere"} {
		if !bytes.Contains(archive, []byte(want)) {
			t.Errorf("%q is not in the archive", want)
		}
	}
}
