package main

import (
	"fmt"
	"io"
	"slices"

	"ringpeak/go/bench"
	"ringpeak/go/report"
	"ringpeak/go/result"
)

// toldByCheck are the notes whose matter is a check's too. That one comes with
// the figures of the run and the remedy, so where the text has the checks, its
// reader is told once. The document has both.
var toldByCheck = []string{
	"holes",            // written
	"split-io",         // block-size
	"page-cache",       // page-cache
	"depth-above-tags", // tags
	"cpus-shared",      // cpu-shared
}

// notes writes notes to stderr, each as one line.
type notes struct {
	w      io.Writer
	checks bool // the report tells of checks
}

func (n *notes) tell(list []result.Note) {
	for _, note := range list {
		if !n.checks || !slices.Contains(toldByCheck, note.Code) {
			fmt.Fprintln(n.w, "ringpeak: note:", oneLine(note.Text))
		}
	}
}

// observer passes a run's events to its reporter, and the notes that arose
// while it was being prepared to stderr.
type observer struct {
	report.Reporter
	notes notes
	told  int // of the run's notes, those that were told already
}

var _ bench.Observer = (*observer)(nil)

func (o *observer) Started(r *result.Result) error {
	o.notes.tell(r.Notes[o.told:])
	return o.Reporter.Started(r)
}
