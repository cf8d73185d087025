package sysfs

import (
	"path"
	"slices"
	"strings"
)

// hierarchy is one line of /proc/self/cgroup, and where it is mounted:
//
//	0::/path                  of version 2
//	3:cpu,cpuacct:/path       of version 1
type hierarchy struct {
	version     int
	controllers []string // of version 1
	group       string   // path of the process's group
	mount       *Mount   // nil when it is not mounted
}

// hierarchies are those with controllers, in the order of the file; nil when
// there is none.
func (t Tree) hierarchies() []hierarchy {
	mounts, _ := t.Mounts() // without any, nothing is found mounted
	var out []hierarchy
	for line := range strings.Lines(readText(t.path("proc/self/cgroup")).Value) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || strings.HasPrefix(parts[1], "name=") {
			continue
		}
		h := hierarchy{version: 1, controllers: strings.Split(parts[1], ","), group: parts[2]}
		if parts[0] == "0" && parts[1] == "" {
			h.version, h.controllers = 2, nil
		}
		h.mount = t.mountOf(&h, mounts)
		out = append(out, h)
	}
	return out
}

// mountOf finds the mount that shows the process's group, else one that shows
// others of the hierarchy. The controllers of a version 1 mount are among the
// options of its super block; how its mount point is called, and in which
// order it names them, differs.
func (t Tree) mountOf(h *hierarchy, mounts []Mount) *Mount {
	var other *Mount
	for i := range mounts {
		m := &mounts[i]
		switch {
		case h.version == 2 && m.FSType == "cgroup2":
		case h.version == 1 && m.FSType == "cgroup" && slices.Contains(m.Options, h.controllers[0]):
		default:
			continue
		}
		if below, ok := belowMount(m, h.group); ok && exists(t.path(m.Point, below)) {
			return m
		}
		if other == nil {
			other = m
		}
	}
	return other
}

// belowMount is the path of a group below the mount point. Not ok when the
// group is not below what is mounted, or in another cgroup namespace.
func belowMount(m *Mount, group string) (below string, ok bool) {
	root := strings.TrimSuffix(m.Root, "/")
	below, ok = strings.CutPrefix(group, root)
	if !ok || strings.HasPrefix(group, "/..") || below != "" && below[0] != '/' {
		return "/", false
	}
	return path.Join("/", below), true
}

// upwards calls f for the process's group and for those above it that can be
// seen, with their paths in the hierarchy and their directories. Of a group
// that cannot be seen, that is what is mounted.
func (t Tree) upwards(h *hierarchy, f func(group, dir string)) {
	if h.mount == nil {
		return
	}
	below, ok := belowMount(h.mount, h.group)
	top := "/"
	if ok {
		top = path.Join("/", h.mount.Root)
	}
	for ; ; below = path.Dir(below) {
		f(path.Join(top, below), t.path(h.mount.Point, below))
		if below == "/" {
			return
		}
	}
}

// has says whether a controller is that of the hierarchy; all are of version 2.
func (h *hierarchy) has(controller string) bool {
	return h.version == 2 || slices.Contains(h.controllers, controller)
}
