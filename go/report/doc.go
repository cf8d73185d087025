// Package report renders a result.Result to a writer: as text while the run
// goes on, in ringpeak's own style or in the line formats of fio's t/io_uring,
// and as one JSON document, a log of HdrHistogram, a file for OpenMetrics or
// one in Go's benchmark format when it is over; and comparisons, of arms in pairs
// (AB) and of saved results (WriteComparison).
//
// It decides how things look and nothing else. It measures nothing, computes
// no statistics of its own beyond the scaling of units, writes nothing to
// stderr and never exits. A Reporter writes each line with one Write, holds
// nothing back between lines, and returns the writer's errors.
//
// Of ours it may import metric, result and stats.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ringpeak/go/result"
)

// Reporter follows one run. The calls come in this order: Started once, with
// everything in r that is known before the first I/O (tool, command, system,
// spec, targets, placements, granted); Interval once per interval, inside the
// measured window, which is why it does not allocate; Finished once, with all
// of r. An error is the writer's: nobody reads any more, and the run should
// end. It is returned again by every later call.
type Reporter interface {
	Started(r *result.Result) error
	Interval(r *result.Result, iv *result.Interval) error
	Finished(r *result.Result) error
}

// StyleNative is ringpeak's own style.
const StyleNative = "native"

const fioPrefix = "fio-"

// Styles are the names that New takes.
func Styles() []string {
	names := []string{StyleNative}
	for _, v := range fioVersions() {
		names = append(names, fioPrefix+v)
	}
	return names
}

// New makes the Reporter of a style, one of Styles.
func New(w io.Writer, style string) (Reporter, error) {
	switch {
	case !slices.Contains(Styles(), style):
		return nil, fmt.Errorf("style %q: not one of %s", style, strings.Join(Styles(), ", "))
	case style == StyleNative:
		return NewText(w), nil
	default:
		return NewFio(w, strings.TrimPrefix(style, fioPrefix))
	}
}
