package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"ringpeak/go/result"
)

// WriteJSON writes r as one indented JSON document with one Write, or nothing:
// what cannot be marshalled is not begun. Lists that are empty are [], never
// null; null means unknown or not asked for.
func WriteJSON(w io.Writer, r *result.Result) error {
	doc, err := document(r)
	if err != nil {
		return err
	}
	return writeAll(w, doc)
}

func writeAll(w io.Writer, doc []byte) error {
	n, err := w.Write(doc)
	if err == nil && n < len(doc) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

func document(r *result.Result) ([]byte, error) { return marshal(withLists(r)) }

// marshal is a document as text, for people to look at as well.
func marshal(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("marshal result: %w", err)
	}
	return b.Bytes(), nil
}

// withLists is r with empty lists in the place of nil ones. r stays as it is.
func withLists(r *result.Result) *result.Result {
	c := *r
	c.Command = filled(c.Command)
	c.Spec.Targets = filled(c.Spec.Targets)
	c.Spec.Assertions = filled(c.Spec.Assertions)
	c.Targets = filled(c.Targets)
	c.Granted.SetupFlags = filled(c.Granted.SetupFlags)
	c.Notes = filled(c.Notes)
	c.PerSubmitter = filled(c.PerSubmitter)
	c.PerTarget = filled(c.PerTarget)
	c.Errors = filled(c.Errors)
	c.Checks = filled(c.Checks)
	c.Assertions = filled(c.Assertions)
	c.Placements = append([]result.Placement{}, c.Placements...)
	for i := range c.Placements {
		c.Placements[i].Targets = filled(c.Placements[i].Targets)
	}
	c.Intervals = append([]result.Interval{}, c.Intervals...)
	for i := range c.Intervals {
		fillInterval(&c.Intervals[i])
	}
	c.Latency = latencyWithLists(c.Latency)
	c.Repeats = repeatsWithLists(c.Repeats)
	if c.Histogram != nil {
		h := *c.Histogram
		h.Counts = filled(h.Counts)
		c.Histogram = &h
	}
	return &c
}

// fillInterval is withLists for one interval, which it changes.
func fillInterval(iv *result.Interval) {
	iv.Submitters = filled(iv.Submitters)
	iv.Targets = filled(iv.Targets)
	iv.InFlight = filled(iv.InFlight)
}

func latencyWithLists(l *result.Latency) *result.Latency {
	if l == nil {
		return nil
	}
	c := *l
	c.Percentiles = filled(c.Percentiles)
	return &c
}

func repeatsWithLists(repeats []result.Repeat) []result.Repeat {
	list := slices.Clone(repeats)
	for i := range list {
		list[i].PerSubmitter = filled(list[i].PerSubmitter)
		list[i].PerTarget = filled(list[i].PerTarget)
		list[i].Checks = filled(list[i].Checks)
		list[i].Latency = latencyWithLists(list[i].Latency)
	}
	return list
}

func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
