package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// row is one configuration.
type row struct {
	name     string
	settings map[string]string // by path
	sides    [2][]run
}

// whole says whether both sides have measured it.
func (r *row) whole() bool { return r.samples(0) > 0 && r.samples(1) > 0 }

func (r *row) samples(side int) (n int) {
	for _, run := range r.sides[side] {
		n += len(run.samples)
	}
	return n
}

// unvaried is the name of the only configuration.
const unvaried = "all"

// arrange sorts the runs of both sides into rows, by the settings that vary
// within a side. Those that only differ between the sides are what is compared.
func arrange(sides [2][]run) []*row {
	var keys []setting
	for _, s := range settings() {
		if len(values(sides[0], s.path)) > 1 || len(values(sides[1], s.path)) > 1 {
			keys = append(keys, s)
		}
	}
	rows := grouped(sides, keys)
	fewer := slices.DeleteFunc(slices.Clone(keys), func(s setting) bool { return derived[s.path] })
	if by := grouped(sides, fewer); len(fewer) < len(keys) && oneSided(by) < oneSided(rows) && !slices.ContainsFunc(by, (*row).mixesDerived) {
		keys, rows = fewer, by
	}
	slices.SortStableFunc(rows, func(a, b *row) int {
		for _, s := range keys {
			if d := natural(a.settings[s.path], b.settings[s.path]); d != 0 {
				return d
			}
		}
		return 0
	})
	keys = telling(keys, rows)
	for _, r := range rows {
		r.name = label(keys, r.settings)
	}
	return rows
}

// derived are settings that are bounded by the depth: the same -s32 varies in a
// sweep from -d1 on. A sweep with -s1 is compared with that by the depth.
var derived = map[string]bool{"spec.submit_batch": true, "spec.complete_batch": true}

// mixesDerived says whether runs of a side differ in what is derived.
func (r *row) mixesDerived() bool {
	for path := range derived {
		for _, runs := range r.sides {
			if len(values(runs, path)) > 1 {
				return true
			}
		}
	}
	return false
}

// oneSided is how many rows only one side has.
func oneSided(rows []*row) (n int) {
	for _, r := range rows {
		if len(r.sides[0]) == 0 || len(r.sides[1]) == 0 {
			n++
		}
	}
	return n
}

// grouped are the runs by the values of keys.
func grouped(sides [2][]run, keys []setting) []*row {
	var rows []*row
	byKey := map[string]*row{}
	for i, runs := range sides {
		for _, run := range runs {
			key := ""
			for _, s := range keys {
				key += run.fields[s.path] + "\x00"
			}
			r := byKey[key]
			if r == nil {
				r = &row{settings: map[string]string{}}
				for _, s := range keys {
					r.settings[s.path] = run.fields[s.path]
				}
				byKey[key] = r
				rows = append(rows, r)
			}
			r.sides[i] = append(r.sides[i], run)
		}
	}
	return rows
}

// telling are as few of the settings as tell all rows apart: with -d1 there is
// no -s32, so a sweep of the depth need not name both.
func telling(keys []setting, rows []*row) []setting {
	for i := len(keys) - 1; i >= 0; i-- {
		fewer := slices.Delete(slices.Clone(keys), i, i+1)
		seen := map[string]bool{}
		for _, r := range rows {
			seen[label(fewer, r.settings)] = true
		}
		if len(seen) == len(rows) {
			keys = fewer
		}
	}
	return keys
}

func label(keys []setting, values map[string]string) string {
	if len(keys) == 0 {
		return unvaried
	}
	var words []string
	for _, s := range keys {
		words = append(words, s.name(values[s.path]))
	}
	return strings.Join(words, " ")
}

// natural orders numbers by their size and other texts as such.
func natural(a, b string) int {
	x, errx := strconv.ParseFloat(a, 64)
	y, erry := strconv.ParseFloat(b, 64)
	if errx == nil && erry == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

// values are those that runs have of a field, each once, in their order.
func values(runs []run, path string) []string {
	var list []string
	for _, r := range runs {
		if v, known := r.fields[path]; known && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// names are those of the rows that a side has.
func names(rows []*row, side int) string {
	var list []string
	for _, r := range rows {
		if n := len(r.sides[side]); n > 0 && r.samples(side) == 0 {
			list = append(list, r.name+" (no complete run)")
		} else if n > 0 {
			list = append(list, r.name)
		}
	}
	return firsts(list, ", ")
}
