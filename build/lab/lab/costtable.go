package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"ringpeak/build/lab/plan"
)

// costTable is what one boot measured.
type costTable struct {
	header costHeader
	tick   float64              // nanoseconds per instruction, which must be 1
	runs   map[string][]float64 // "nop-s1 ringpeak": instructions per I/O
	notes  []string
}

func newCostTable(h costHeader) *costTable {
	return &costTable{header: h, runs: map[string][]float64{}}
}

// take reads what one run printed.
func (t *costTable) take(j costJob, end plan.Event, stdout, stderr string) error {
	failed := ""
	if end.Status != 0 || end.TimedOut {
		failed = failure(end) + ": " + excerpt(stdout+stderr, false)
	}
	switch {
	case failed == "":
	case j.program == peer:
		// Its releases differ in what they can do on which kernel. That is not ours to judge.
		t.notes = append(t.notes, j.row+": the peer: "+failed)
		return nil
	default:
		return errors.New(failed)
	}
	switch j.program {
	case "":
		return nil
	case calibration:
		var err error
		t.tick, err = strconv.ParseFloat(strings.TrimSpace(stdout), 64)
		if err == nil && math.Abs(t.tick-1) > 0.001 {
			err = fmt.Errorf("one instruction took %.6f ns of the guest's clock: it does not count instructions", t.tick)
		}
		return err
	}
	rates, err := perSecond(j.program, stdout)
	if err != nil && j.program == peer {
		t.notes = append(t.notes, fmt.Sprintf("%s: the peer: %v: %s", j.row, err, excerpt(stdout+stderr, true)))
		return nil
	}
	if err != nil {
		return err
	}
	for _, r := range rates {
		t.runs[j.row+" "+j.program] = append(t.runs[j.row+" "+j.program], 1e9/r)
	}
	return nil
}

// A line of the peer's, once a second.
var peerLine = regexp.MustCompile(`(?m)^IOPS=([0-9.]+)([KM]?)`)

// perSecond finds I/Os per second in a program's output.
func perSecond(program, stdout string) ([]float64, error) {
	var out []float64
	switch program {
	case ours:
		var r struct {
			Summary struct {
				IOPS float64 `json:"iops_mean"`
			} `json:"summary"`
		}
		if err := json.Unmarshal([]byte(stdout), &r); err != nil {
			return nil, fmt.Errorf("read the result: %w", err)
		}
		out = append(out, r.Summary.IOPS)
	case peer:
		for i, m := range peerLine.FindAllStringSubmatch(stdout, -1) {
			if i == 0 {
				continue
			}
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return nil, err
			}
			out = append(out, v*map[string]float64{"": 1, "K": 1e3, "M": 1e6}[m[2]])
		}
	default:
		v, err := strconv.ParseFloat(strings.TrimSpace(stdout), 64)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	for _, v := range out {
		if !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("a rate of %v", v)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("it printed no rate")
	}
	return out, nil
}

// costLimit is by how many per cent a figure may grow.
const costLimit = 2.0

// figure is the one number for several runs; 0 if there are none.
func (t *costTable) figure(r costRow, program string) float64 {
	runs := t.runs[r.name+" "+program]
	switch {
	case len(runs) == 0:
		return 0
	case r.rough && program == ours:
		return slices.Min(runs)
	}
	return median(runs)
}

// judge compares a row with what is kept. With another kernel or compiler the absolute figures say nothing, and the
// ratio to the bare loop of the same boot does; a row without such a loop cannot be judged then.
func (t *costTable) judge(r costRow, k *kept) (percent float64, verdict string, grown bool) {
	now, was := t.figure(r, ours), k.figures[r.name+" "+ours]
	switch {
	case r.rough && now > 0:
		return 0, "rough, not judged", false
	case now == 0 && was > 0:
		return 0, "GONE", true
	case now == 0:
		return 0, "not measured", false
	case was == 0:
		return 0, "new: make cost UPDATE=1 keeps it", false
	}
	by := ""
	if len(t.header.differences(k.header)) > 0 {
		limit, limitWas := t.figure(r, bare), k.figures[r.name+" "+bare]
		if limit == 0 || limitWas == 0 {
			return 0, "not judged: the figure kept is of something else", false
		}
		now, was, by = now/limit, was/limitWas, ", by the ratio"
	}
	percent = 100 * (now/was - 1)
	switch {
	case percent > costLimit:
		return percent, "GREW" + by, true
	case percent < -costLimit:
		return percent, "less" + by + ": make cost UPDATE=1 keeps it", false
	}
	return percent, "ok" + by, false
}

// print shows the table and returns how many rows must not pass.
func (t *costTable) print(w io.Writer, k *kept) int {
	number := func(v float64) string {
		if v == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	}
	grown := 0
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "instructions/I/O\tnow\truns differ\tkept\tchange\twithout Go\tbare\tnow/bare\tpeer\tverdict")
	for _, r := range costRows {
		percent, verdict, bad := t.judge(r, k)
		if bad {
			grown++
		}
		now, limit := t.figure(r, ours), t.figure(r, bare)
		spread, change, ratio := "-", "-", "-"
		if runs := t.runs[r.name+" "+ours]; now > 0 {
			spread = fmt.Sprintf("%.2f %%", 100*(slices.Max(runs)-slices.Min(runs))/now)
		}
		if percent != 0 {
			change = fmt.Sprintf("%+.2f %%", percent)
		}
		if now > 0 && limit > 0 {
			ratio = fmt.Sprintf("%.4f", now/limit)
		}
		fmt.Fprintln(tw, strings.Join([]string{
			r.name, number(now), spread, number(k.figures[r.name+" "+ours]), change,
			number(t.figure(r, loop)), number(limit), ratio, number(t.figure(r, peer)), verdict,
		}, "\t"))
	}
	_ = tw.Flush()
	if len(k.figures) > 0 {
		for _, d := range t.header.differences(k.header) {
			fmt.Fprintf(w, "not what the figures are kept for: %s\n", d)
		}
	}
	for _, n := range t.notes {
		fmt.Fprintln(w, n)
	}
	return grown
}
