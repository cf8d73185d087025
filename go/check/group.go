package check

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
)

// group is a set of disks and of submitters that read from these and from
// nothing else, so that what they counted can be held against each other.
type group struct {
	disks      []string
	targets    []int
	submitters []int
	apart      bool // a target of it is on no disk

	total  result.Counters // of the submitters, since they were opened
	rate   float64         // reads per second and disk in the window, without those that something above it answered
	window result.Counters
}

// disksOf are the disks in which the I/O of a target ends, by name: the
// members of a dm or md device, else the disk itself; none for a file that is
// on no block device.
func disksOf(t *result.Target) []string {
	switch {
	case len(t.Members) > 0:
		return t.Members
	case t.Disk != "":
		return []string{t.Disk}
	}
	return nil
}

// groups splits a run into the smallest groups.
func groups(e *Evidence) []group {
	r := e.Result
	var gs []group
	for s, p := range r.Placements {
		g := group{submitters: []int{s}}
		for _, t := range p.Targets {
			disks := disksOf(&r.Targets[t])
			g.disks, g.targets = append(g.disks, disks...), append(g.targets, t)
			g.apart = g.apart || len(disks) == 0
		}
		var rest []group
		for _, other := range gs {
			if !overlap(other.disks, g.disks) && !overlap(other.targets, g.targets) {
				rest = append(rest, other)
				continue
			}
			g.disks, g.targets = append(other.disks, g.disks...), append(other.targets, g.targets...)
			g.submitters, g.apart = append(other.submitters, g.submitters...), g.apart || other.apart
		}
		gs = append(rest, g)
	}
	for i := range gs {
		g := &gs[i]
		g.count(e)
		if c := count(e, g); c.why == nil && ours(e, g) && g.total.Bytes > c.bytes && !(c.Reads == 0 && direct(e, g)) {
			g.rate *= float64(c.bytes) / float64(g.total.Bytes)
		}
	}
	return gs
}

func overlap[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}

func (g *group) count(e *Evidence) {
	g.disks, g.targets = sorted(g.disks), sorted(g.targets)
	for _, s := range g.submitters {
		if s < len(e.Totals) {
			g.total = g.total.Add(e.Totals[s])
		}
		if s < len(e.Result.PerSubmitter) {
			g.window = g.window.Add(e.Result.PerSubmitter[s])
		}
	}
	if ns := e.Result.Summary.WindowNS; ns > 0 {
		g.rate = float64(g.window.Completed) * 1e9 / float64(ns) / float64(max(len(g.disks), 1))
	}
}

// names of the disks.
func (g *group) names() string { return list(g.disks) }

// paths of the targets.
func (g *group) paths(r *result.Result) string {
	var out []string
	for _, t := range g.targets {
		out = append(out, r.Targets[t].Path)
	}
	return list(out)
}

func sorted[T int | string](s []T) []T {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

// maxNames is how many things a sentence lists.
const maxNames = 4

func list(names []string) string {
	if n := len(names); n > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	}
	return strings.Join(names, ", ")
}

func numbers(ns []int) string {
	var out []string
	for _, n := range ns {
		out = append(out, fmt.Sprint(n))
	}
	return list(out)
}

// size is a number of bytes for people.
func size[T int64 | uint64 | float64](bytes T) string {
	v := float64(bytes)
	for _, unit := range []string{"bytes", "KiB", "MiB", "GiB"} {
		if v < 1024 {
			if v == float64(int64(v)) {
				return fmt.Sprintf("%.0f %s", v, unit)
			}
			return fmt.Sprintf("%.1f %s", v, unit)
		}
		v /= 1024
	}
	return fmt.Sprintf("%.1f TiB", v)
}

// thousands is a rate for people.
func thousands(rate float64) string {
	switch {
	case rate >= 999_950:
		return fmt.Sprintf("%.2fM", rate/1e6)
	case rate >= 10_000:
		return fmt.Sprintf("%.1fK", rate/1e3)
	}
	return fmt.Sprintf("%.0f", rate)
}

// percent is a share for people: "0.02 %", "37 %".
func percent(part, of float64) string {
	switch p := 100 * part / of; {
	case of <= 0:
		return "0 %"
	case p > 0 && p < 0.01:
		return "under 0.01 %"
	case p < 9.95:
		return fmt.Sprintf("%.2g %%", p)
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}
