// Package compare holds two groups of saved runs against each other: what
// differs between them first, then for each configuration and metric the
// medians, the change with its interval, and whether it is significant.
//
// A sample is a run or a complete repeat of one, never an interval. The groups
// are taken for independent; runs that took turns are for another method.
//
// It reads no files, measures nothing and prints nothing. Of ours it may import
// metric, result, spelling and stats.
package compare

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/metric"
	"ringpeak/go/result"
)

// Document is one saved run.
type Document struct {
	Name   string         // that people know it by
	Text   []byte         // as it was read: what is not in it is unknown, where Result has a zero
	Result *result.Result // the same
}

// Options are what to compare.
type Options struct {
	Tool       result.Tool
	Command    []string
	Old, New   []Document
	Force      bool // compare different work
	Conditions []Condition
}

// Sides compares. Its errors are *result.Error: of status 2 for documents that
// cannot be compared.
func Sides(o Options) (*result.Comparison, error) {
	if err := distinct(o.Old, o.New); err != nil {
		return nil, err
	}
	var sides [2][]run
	for i, docs := range [2][]Document{o.Old, o.New} {
		for _, d := range docs {
			r, err := newRun(d)
			if err != nil {
				return nil, err
			}
			sides[i] = append(sides[i], r)
		}
	}
	c := &result.Comparison{
		Schema:  result.ComparisonSchemaVersion,
		Tool:    o.Tool,
		Command: o.Command,
		Old:     side(sides[0]),
		New:     side(sides[1]),
	}
	rows := arrange(sides)
	if !slices.ContainsFunc(rows, (*row).whole) {
		return nil, result.Errorf(result.StatusUsage, "no configuration is on both sides: old has %s, new has %s", names(rows, 0), names(rows, 1))
	}
	c.Differences = differences(rows)
	c.OnlyOld, c.OnlyNew = unrecorded(sides)
	if list := otherWork(c.Differences); len(list) > 0 {
		if !o.Force {
			return nil, result.Errorf(result.StatusUsage, "the two sides did different work: %s; --force compares them all the same", strings.Join(list, ", "))
		}
		c.Forced = true
	}
	for _, r := range rows {
		c.Rows = append(c.Rows, r.compare(wanted(rows, o.Conditions)))
	}
	c.Geomeans = geomeans(c.Rows)
	c.Warnings = append(warnings(sides), grantedAlike(c.Differences, rows)...)
	c.Notes = notes(c, rows)
	for i := range o.Conditions {
		if err := o.Conditions[i].possible(c.Rows); err != nil {
			return nil, err
		}
		c.Conditions = append(c.Conditions, o.Conditions[i].hold(c.Rows))
	}
	return c, nil
}

// run is a document with what is compared of it.
type run struct {
	Document
	fields  map[string]string
	samples []metric.Sample
}

func newRun(d Document) (run, error) {
	fields, err := flatten(d.Text)
	if err != nil {
		return run{}, result.Errorf(result.StatusUsage, "%s is no valid result of ringpeak: %w", d.Name, err)
	}
	return run{Document: d, fields: fields, samples: metric.Samples(d.Result)}, nil
}

func side(runs []run) result.ComparedSide {
	var s result.ComparedSide
	for _, r := range runs {
		s.Documents = append(s.Documents, result.ComparedDocument{
			Path: r.Name, Started: r.Result.Started, Command: r.Result.Command, Samples: len(r.samples),
		})
		s.Samples += len(r.samples)
	}
	return s
}

// distinct refuses a run that is there twice: it would be held against itself,
// or count twice.
func distinct(old, new []Document) error {
	seen := map[string]string{}
	for i, d := range slices.Concat(old, new) {
		r := d.Result
		id := fmt.Sprint(r.Started, r.Summary.WindowNS, r.Summary.Total, r.Spec.Seed, r.Command)
		first, again := seen[id]
		switch {
		case !again:
			seen[id] = d.Name
		case i >= len(old) && slices.ContainsFunc(old, func(o Document) bool { return o.Name == first }):
			return result.Errorf(result.StatusUsage, "%s on the new side and %s on the old one are the same run: compare it with another one", d.Name, first)
		default:
			return result.Errorf(result.StatusUsage, "%s and %s are the same run, which would count twice: leave one out", first, d.Name)
		}
	}
	return nil
}
