package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"ringpeak/build/lab/plan"
)

// ways are the rows of the table that comes with work on passthrough: the same drive, read in each of them.
var ways = []struct{ name, args string }{
	{"block, interrupts", "-p0 -B0 " + plan.Dir + "nvme-poll"},
	{"block, polled", "-p1 -B0 " + plan.Dir + "nvme-poll"},
	{"block, polled, fixed buffers", "-p1 -B1 " + plan.Dir + "nvme-poll"},
	{"passthrough, interrupts", "-u1 -p0 -B0 " + plan.Dir + "nvme-poll-char"},
	{"passthrough, polled", "-u1 -p1 -B0 " + plan.Dir + "nvme-poll-char"},
	{"passthrough, polled, fixed buffers", "-u1 -p1 -B1 " + plan.Dir + "nvme-poll-char"},
}

const (
	wayRuns = 7
	wayArgs = "-r0.5 -b512 -d128 -s32 -c32 --json - "
)

// runTable measures the ways in turn, so that what disturbs the host disturbs all of them, and prints how they
// relate. The emulated drive is most of the cost: how fast any of it is says nothing, and the differences are
// smaller than on a real one.
func runTable(ctx context.Context, l *lab, o options) (int, error) {
	if err := static(o.bin); err != nil {
		return 4, err
	}
	var jobs []plan.Job
	for run := range wayRuns {
		for _, w := range ways {
			jobs = append(jobs, plan.Job{
				Name: fmt.Sprintf("%s, run %d", w.name, run+1),
				Argv: append([]string{"/bin/ringpeak"}, strings.Fields(wayArgs+w.args)...), Timeout: 30 * time.Second,
			})
		}
	}
	iops := make([][]float64, len(ways))
	var stdout, stderr bytes.Buffer
	var bad []string
	out, err := l.boot(ctx, plan.Plan{Jobs: jobs}, func(im *image) error { return addBinary(im, o.bin) }, func(e plan.Event) {
		switch e.Kind {
		case plan.Begin:
			stdout.Reset()
			stderr.Reset()
		case plan.Stdout:
			stdout.Write(e.Data)
		case plan.Stderr:
			stderr.Write(e.Data)
		case plan.End:
			var r struct {
				Summary struct {
					IOPS float64 `json:"iops_mean"`
				} `json:"summary"`
			}
			if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || e.Status != 0 {
				bad = append(bad, fmt.Sprintf("%s: %s: %s", e.Name, failure(e), stderr.String()))
				return
			}
			i := e.Job % len(ways)
			iops[i] = append(iops[i], r.Summary.IOPS)
		}
	})
	if err != nil {
		return 4, err
	}
	if bad = append(bad, out.faults()...); len(bad) > 0 {
		return 1, errors.New(strings.Join(bad, "\n"))
	}
	fmt.Fprintf(l.stdout, "kernel %s, QEMU's NVMe, 512 bytes, depth 128, one submitter; median of %d alternating runs\n", l.release, wayRuns)
	return 0, printWays(l.stdout, iops)
}

// printWays: each run is compared with the first row's of the same round.
func printWays(to io.Writer, iops [][]float64) error {
	for i, w := range ways {
		if len(iops[i]) != len(iops[0]) || len(iops[i]) == 0 {
			return fmt.Errorf("%s: %d runs, and %d of the first", w.name, len(iops[i]), len(iops[0]))
		}
		ratios := make([]float64, len(iops[i]))
		for run := range ratios {
			ratios[run] = iops[i][run] / iops[0][run]
		}
		slices.Sort(ratios)
		fmt.Fprintf(to, "  %-36s %5.2f   (%.2f to %.2f)\n", w.name, ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	}
	return nil
}
