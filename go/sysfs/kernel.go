package sysfs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// KernelConfig is the configuration that the kernel was built with.
type KernelConfig struct {
	Source string            // file that it was read from; empty when there is none
	Set    map[string]string // symbol, without CONFIG_, to its value: y, m, "text", 1000; those not set are missing
}

// Has says whether a symbol is built in.
func (c KernelConfig) Has(symbol string) bool { return c.Set[symbol] == "y" }

// maxConfig bounds an unpacked configuration; real ones have 300 KiB.
const maxConfig = 4 << 20

// KernelConfig reads /proc/config.gz, else the file that distributions install
// for the release (uname -r). Nothing readable is an empty Source.
func (t Tree) KernelConfig(release string) KernelConfig {
	if c, err := readConfig(t.path("proc/config.gz"), true); err == nil {
		c.Source = "/proc/config.gz"
		return c
	}
	if release == "" || release != filepath.Base(release) {
		return KernelConfig{}
	}
	for _, name := range []string{
		"boot/config-" + release, "lib/modules/" + release + "/config", "usr/lib/modules/" + release + "/config",
		"lib/modules/" + release + "/build/.config",
	} {
		if c, err := readConfig(t.path(name), false); err == nil {
			c.Source = "/" + name
			return c
		}
	}
	return KernelConfig{}
}

func readConfig(path string, packed bool) (KernelConfig, error) {
	f, err := os.Open(path)
	if err != nil {
		return KernelConfig{}, fmt.Errorf("read kernel configuration: %w", err)
	}
	defer f.Close()
	var r io.Reader = f
	if packed {
		if r, err = gzip.NewReader(f); err != nil {
			return KernelConfig{}, fmt.Errorf("unpack %s: %w", path, err)
		}
	}
	return ParseKernelConfig(io.LimitReader(r, maxConfig))
}

// ParseKernelConfig parses the format of .config. The error is for something
// that is none.
func ParseKernelConfig(r io.Reader) (KernelConfig, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return KernelConfig{}, fmt.Errorf("read kernel configuration: %w", err)
	}
	c := KernelConfig{Set: map[string]string{}}
	for line := range bytes.Lines(text) {
		symbol, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "CONFIG_")
		if !ok {
			continue
		}
		if name, value, ok := strings.Cut(symbol, "="); ok {
			c.Set[name] = value
		}
	}
	if len(c.Set) == 0 {
		return KernelConfig{}, fmt.Errorf("parse kernel configuration: no line sets anything")
	}
	return c, nil
}

// Debugging is what shows that the running kernel checks itself, beside its
// configuration. The fields say what is there, not what is not: some of it
// only root sees.
type Debugging struct {
	Lockdep    bool     // /proc/lockdep exists
	Kmemleak   bool     // /sys/kernel/debug/kmemleak exists
	SlubChecks []string // of sanity_checks, red_zone, poison, store_user, trace in /sys/kernel/slab/kmalloc-64: those that are 1
}

// Debugging reads it.
func (t Tree) Debugging() Debugging {
	d := Debugging{
		Lockdep:  exists(t.path("proc/lockdep")),
		Kmemleak: exists(t.path("sys/kernel/debug/kmemleak")),
	}
	for _, name := range []string{"sanity_checks", "red_zone", "poison", "store_user", "trace"} {
		if n := readInt(t.path("sys/kernel/slab/kmalloc-64", name)); n.OK() && n.Value == 1 {
			d.SlubChecks = append(d.SlubChecks, name)
		}
	}
	return d
}
