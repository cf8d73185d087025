// Package kmod finds out which modules of a kernel must be loaded, in which order. It reads modules.dep and
// modules.builtin and loads nothing; it imports the standard library alone.
package kmod

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"
)

// Index is what a kernel's module folder has to offer.
type Index struct {
	files   map[string]string   // module → file, relative to the folder
	needs   map[string][]string // module → modules that it needs, in the order of modules.dep
	builtin map[string]bool
}

// Parse reads the two lists. builtin may be nil: then nothing is taken to be built in.
func Parse(dep, builtin io.Reader) (*Index, error) {
	x := &Index{files: map[string]string{}, needs: map[string][]string{}, builtin: map[string]bool{}}
	for n, line := range lines(dep) {
		file, deps, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("modules.dep line %d: no colon", n+1)
		}
		m := Name(file)
		x.files[m] = file
		for _, d := range strings.Fields(deps) {
			x.needs[m] = append(x.needs[m], Name(d))
		}
	}
	if len(x.files) == 0 {
		return nil, fmt.Errorf("modules.dep names no module")
	}
	if builtin != nil {
		for _, line := range lines(builtin) {
			x.builtin[Name(line)] = true
		}
	}
	return x, nil
}

func lines(r io.Reader) []string {
	var out []string
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if t := strings.TrimSpace(s.Text()); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// Name is a module's name in the spelling of /proc/modules: the kernel takes '-' and '_' for the same.
func Name(file string) string {
	base := path.Base(file)
	if i := strings.Index(base, ".ko"); i >= 0 {
		base = base[:i]
	}
	return strings.ReplaceAll(base, "-", "_")
}

// Module is one to load.
type Module struct {
	Name string
	File string // relative to the module folder; may end in .xz
}

// Resolve lists the modules for the wanted ones, each after all it needs and none twice. What is built in
// needs no loading. Modules that the kernel does not have are returned by name: some came with later kernels.
func (x *Index) Resolve(wanted ...string) (load []Module, absent []string) {
	done := map[string]bool{}
	var add func(m string) bool
	add = func(m string) bool {
		if done[m] || x.builtin[m] {
			return true
		}
		file, ok := x.files[m]
		if !ok {
			return false
		}
		done[m] = true
		for _, d := range x.needs[m] {
			add(d)
		}
		load = append(load, Module{m, file})
		return true
	}
	for _, w := range wanted {
		if !add(Name(w)) {
			absent = append(absent, w)
		}
	}
	return load, absent
}
