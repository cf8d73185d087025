package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"ringpeak/go/result"
)

// comparisonCSV is a header, then a line per configuration and metric with
// figures as they are in the document; what is not known is empty.
func comparisonCSV(w io.Writer, c *result.Comparison) error {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	out.Write([]string{
		"configuration", "metric", "unit", "better", "old_samples", "old_median", "old_median_low", "old_median_high",
		"new_samples", "new_median", "new_median_low", "new_median_high",
		"change_percent", "change_low_percent", "change_high_percent", "p", "verdict",
	})
	for _, r := range c.Rows {
		for _, f := range r.Figures {
			out.Write([]string{
				r.Name, f.Metric, f.Unit, f.Better, strconv.Itoa(len(f.Old.Values)), raw(f.Old.Median), raw(f.Old.Low), raw(f.Old.High),
				strconv.Itoa(len(f.New.Values)), raw(f.New.Median), raw(f.New.Low), raw(f.New.High),
				raw(f.Change), raw(f.ChangeLow), raw(f.ChangeHigh), raw(f.P), f.Verdict,
			})
		}
		if len(r.Figures) == 0 { // on one side only
			out.Write([]string{r.Name, "", "", "", strconv.Itoa(r.Old), "", "", "", strconv.Itoa(r.New), "", "", "", "", "", "", "", ""})
		}
	}
	out.Flush() // a buffer takes everything
	return writeWhole(w, b.Bytes())
}

// raw is a figure with as many digits as it has.
func raw(v result.OptFloat) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// comparisonJSON is the document. Lists that are empty are [], never null.
func comparisonJSON(w io.Writer, c *result.Comparison) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(comparisonWithLists(c)); err != nil {
		return fmt.Errorf("marshal comparison: %w", err)
	}
	return writeWhole(w, b.Bytes())
}

// comparisonWithLists is c with empty lists in the place of nil ones. c stays
// as it is.
func comparisonWithLists(c *result.Comparison) *result.Comparison {
	n := *c
	n.Command = filled(n.Command)
	for _, s := range []*result.ComparedSide{&n.Old, &n.New} {
		s.Documents = append([]result.ComparedDocument{}, s.Documents...)
		for i := range s.Documents {
			s.Documents[i].Command = filled(s.Documents[i].Command)
		}
	}
	n.Differences, n.OnlyOld, n.OnlyNew = filled(n.Differences), filled(n.OnlyOld), filled(n.OnlyNew)
	n.Warnings, n.Notes, n.Geomeans = filled(n.Warnings), filled(n.Notes), filled(n.Geomeans)
	n.Rows = append([]result.ComparedRow{}, n.Rows...)
	for i := range n.Rows {
		n.Rows[i].Figures = append([]result.ComparedFigure{}, n.Rows[i].Figures...)
		for j := range n.Rows[i].Figures {
			f := &n.Rows[i].Figures[j]
			f.Old.Values, f.New.Values = filled(f.Old.Values), filled(f.New.Values)
		}
	}
	n.Conditions = append([]result.ComparedCondition{}, n.Conditions...)
	for i := range n.Conditions {
		n.Conditions[i].Fired, n.Conditions[i].Untried = filled(n.Conditions[i].Fired), filled(n.Conditions[i].Untried)
	}
	return &n
}

func writeWhole(w io.Writer, text []byte) error {
	n, err := w.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
