package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ringpeak/go/result"
)

// differences are all fields that are not the same in all runs of a row that
// both sides have, for all such rows together.
func differences(rows []*row) []result.Difference {
	var list []result.Difference
	both := 0
	for _, r := range rows {
		if r.whole() {
			both++
			list = r.differences(list)
		}
	}
	for i := range list {
		if len(list[i].Rows) == both {
			list[i].Rows = nil
		}
	}
	list = fold(list)
	list = slices.DeleteFunc(list, func(d result.Difference) bool { return follows(&d, list) })
	slices.SortStableFunc(list, func(a, b result.Difference) int {
		return cmp.Or(
			cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group)),
			cmp.Compare(place(a.Path), place(b.Path)),
		)
	})
	return list
}

// differences adds those of one row to a list; the same in another row is no
// entry of its own.
func (r *row) differences(list []result.Difference) []result.Difference {
	for _, path := range r.paths() {
		old, new := values(r.sides[0], path), values(r.sides[1], path)
		between := !slices.Equal(slices.Sorted(slices.Values(old)), slices.Sorted(slices.Values(new)))
		switch {
		case len(old) == 0 || len(new) == 0:
			continue // not recorded: see unrecorded
		case !between && len(old) == 1, alike(path, append(slices.Clone(old), new...)):
			continue
		}
		i := slices.IndexFunc(list, func(d result.Difference) bool {
			return d.Path == path && slices.Equal(d.Old, old) && slices.Equal(d.New, new)
		})
		if i < 0 {
			i = len(list)
			list = append(list, result.Difference{
				Group: group(path), Path: path, Title: title(path), Old: old, New: new,
				Between: between, OtherWork: between && work[starred(path)],
			})
		}
		list[i].Rows = append(list[i].Rows, r.name)
	}
	return list
}

// paths are those of all runs of the row.
func (r *row) paths() []string {
	all := map[string]bool{}
	for _, runs := range r.sides {
		for _, run := range runs {
			for path := range run.fields {
				all[path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// alike says whether values are the same for our purposes: kernels differ in
// how much of the same memory they leave.
func alike(path string, values []string) bool {
	if path != "system.environment.memory_total_bytes" {
		return false
	}
	var numbers []float64
	for _, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return false
		}
		numbers = append(numbers, n)
	}
	return slices.Max(numbers) < 1.05*slices.Min(numbers)
}

// fold makes one entry of a change that several targets, frequency domains or
// other elements of a list have alike.
func fold(list []result.Difference) []result.Difference {
	var out []result.Difference
	var times []int // of each of out
	for _, d := range list {
		whole := starred(d.Path)
		i := slices.IndexFunc(out, func(o result.Difference) bool {
			return whole != d.Path && starred(o.Path) == whole &&
				slices.Equal(o.Old, d.Old) && slices.Equal(o.New, d.New) && slices.Equal(o.Rows, d.Rows)
		})
		if i < 0 {
			out, times = append(out, d), append(times, 1)
			continue
		}
		times[i]++
		what := "%s, %d times"
		if d.Group == result.DiffersInTargets {
			what = "%s of %d targets"
		}
		out[i].Path, out[i].Title = whole, fmt.Sprintf(what, title(whole), times[i])
	}
	return out
}

// follows says whether a difference only repeats one that is told before it:
// the kernel granted what was asked.
func follows(d *result.Difference, list []result.Difference) bool {
	last := func(path string) string { return path[strings.LastIndex(path, ".")+1:] }
	same := func(asked, got []string) bool {
		return slices.EqualFunc(asked, got, func(a, g string) bool {
			return a == g || a == string(result.ChoiceYes) && g == "true" || a == string(result.ChoiceNo) && g == "false"
		})
	}
	said := func(path string) bool {
		return slices.ContainsFunc(list, func(o result.Difference) bool {
			return o.Path == path && same(o.Old, d.Old) && same(o.New, d.New)
		})
	}
	switch {
	case strings.HasPrefix(d.Path, "granted."):
		return said("spec." + last(d.Path))
	case d.Path == "system.environment.clocksource":
		return said("system.clocksource")
	}
	return false
}

// place is that of a setting in the order of settings, behind them for others:
// what a kernel and a machine are called comes before what they are set to.
func place(path string) int {
	all := settings()
	if strings.HasPrefix(path, "system.environment.") {
		return len(all) + 1
	}
	if i := slices.IndexFunc(all, func(s setting) bool { return s.path == path }); i >= 0 {
		return i
	}
	return len(all)
}

// otherWork names the differences that need force.
func otherWork(list []result.Difference) (names []string) {
	for _, d := range list {
		if d.OtherWork {
			names = append(names, fmt.Sprintf("%s %s against %s", d.Title, strings.Join(d.Old, " | "), strings.Join(d.New, " | ")))
		}
	}
	return names
}

// unrecorded are the paths that the documents of one side alone have, those
// within one object together.
func unrecorded(sides [2][]run) (onlyOld, onlyNew []string) {
	var known [2]map[string]bool
	for i, runs := range sides {
		known[i] = map[string]bool{}
		for _, r := range runs {
			for path := range r.fields {
				known[i][starred(path)] = true
			}
		}
	}
	lacks := func(has, other map[string]bool) []string {
		var list []string
		for path := range has {
			if !other[path] && !strings.HasPrefix(path, "targets.") && !strings.HasPrefix(path, "granted.") {
				list = append(list, shortened(path, other))
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	return lacks(known[0], known[1]), lacks(known[1], known[0])
}

// shortened is the outermost object of a path of which others have nothing.
func shortened(path string, others map[string]bool) string {
	for i := range path {
		if path[i] != '.' {
			continue
		}
		object := path[:i+1]
		some := false
		for other := range others {
			some = some || strings.HasPrefix(other, object)
		}
		if !some {
			return object + "*"
		}
	}
	return path
}
