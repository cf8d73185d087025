package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ringpeak/build/lab/plan"
)

// costRow is one way of doing I/O whose cost is measured.
type costRow struct {
	name   string
	submit int    // of the bare loop that is its limit; 0: it has none
	rough  bool   // shown, but neither kept nor judged
	args   string // of ringpeak, and of the peer
}

// What latency costs is nop-s32-t1 and nop-s32-each against nop-s32. The guest's CPU
// has a TSC that is as even as its clock, although it does not say so (constant_tsc).
//
// NVMe is rough: QEMU completes its commands in the host's time, and a guest that polls executes instructions for as
// long as that takes. Interrupt-driven the guest would sleep, and its clock jump; so that is left out.
var costRows = []costRow{
	{"nop-s1", 1, false, "-N1 -p0 -d128 -s1 -c1"},
	{"nop-s8", 8, false, "-N1 -p0 -d128 -s8 -c8"},
	{"nop-s32", 32, false, "-N1 -p0 -d128 -s32 -c32"},
	{"nop-s32-t1", 0, false, "-N1 -p0 -d128 -s32 -c32 -t1 --clock tsc"},
	{"nop-s32-each", 0, false, "-N1 -p0 -d128 -s32 -c32 --latency=each --clock tsc"},
	{"nop-s128", 128, false, "-N1 -p0 -d128 -s128 -c128"},
	{"null-poll", 0, false, "-p1 -d128 -s32 -c32 -b512 " + plan.Dir + "null-poll"},
	{"null-irq", 0, false, "-p0 -d128 -s32 -c32 -b512 " + plan.Dir + "null-irq"},
	{"nvme-poll", 0, true, "-p1 -d128 -s32 -c32 -b512 " + plan.Dir + "nvme-poll"},
	{"pass-poll", 0, true, "-u1 -p1 -O0 -d128 -s32 -c32 -b512 " + plan.Dir + "nvme-poll-char"},
}

// Programs of the guest, as they are called there.
const (
	ours = "ringpeak"
	bare = "bare"
	loop = "loop" // ours without Go
	peer = "peer"
	// Not a benchmark, but /init.
	calibration = "spin"
)

// One run is 200 million instructions, so one I/O more or less at its ends is nothing. The median of five is taken,
// because a run may be hit by what the kernel does once in a while. Of rough rows it is the least of more and shorter
// ones: what disturbs them only adds.
const (
	costRuns     = 5
	costSeconds  = "0.2"
	roughRuns    = 8
	roughSeconds = "0.05"
	costBatch    = 32000 // I/Os between two looks at the clock of the loops
	peerSeconds  = "3"   // of which it prints two; the first has its start in it
	costTimeout  = 60 * time.Second
	settle       = "20s" // the kernel still does things after it has booted; sleeping costs next to nothing here
	spinTurns    = "500000"
)

// costJob is one run of one program for one row.
type costJob struct {
	row     string
	program string
	job     plan.Job
}

func costJobs(withPeer bool) []costJob {
	jobs := []costJob{
		{job: plan.Job{Name: "settle", Argv: []string{"/init", "sleep", settle}}},
		{program: calibration, job: plan.Job{Name: "calibration", Argv: []string{"/init", "spin", spinTurns}}},
	}
	add := func(row, program string, argv ...string) {
		name := row + " " + program
		argv[0] = "/bin/" + argv[0]
		jobs = append(jobs, costJob{row, program, plan.Job{Name: name, Argv: argv}})
	}
	for _, r := range costRows {
		args := strings.Fields(r.args)
		runs, seconds := costRuns, costSeconds
		if r.rough {
			runs, seconds = roughRuns, roughSeconds
		}
		for range runs {
			add(r.name, ours, append([]string{ours, "-r" + seconds, "--seed", "1", "--json", "-"}, args...)...)
		}
		if r.submit > 0 {
			s, rounds := strconv.Itoa(r.submit), strconv.Itoa(costBatch/r.submit)
			for range costRuns {
				add(r.name, bare, bare, costSeconds, "128", s, rounds)
				add(r.name, loop, loop, costSeconds, "128", s, rounds)
			}
		}
		if withPeer && !strings.Contains(r.args, "--") { // it has no long options
			if strings.HasPrefix(r.name, "nop") {
				args = append(args, plan.Dir+"null-irq") // it opens one for NOPs too
			}
			add(r.name, peer, append([]string{peer, "-r" + peerSeconds}, args...)...)
		}
	}
	for i := range jobs {
		jobs[i].job.Timeout = costTimeout
	}
	return jobs
}

func runCost(ctx context.Context, l *lab, o options) (int, error) {
	l.exact = true
	programs := map[string]string{ours: o.bin, bare: o.bare, loop: o.loop}
	if o.peer != "" {
		programs[peer] = o.peer
	}
	for name, file := range programs {
		if file == "" {
			return 2, fmt.Errorf("cost needs --bin, --bare and --loop: no program for %s", name)
		}
		if err := static(file); err != nil {
			return 4, err
		}
	}
	if o.kept == "" {
		o.kept = filepath.Join(l.root, "build/lab/cost.txt")
	}
	kept, err := readKept(o.kept)
	if err != nil {
		return 4, err
	}
	here, err := l.costHeader(ctx)
	if err != nil {
		return 4, err
	}
	jobs := costJobs(o.peer != "")
	fill := func(im *image) error {
		var err error
		for name, file := range programs {
			err = errors.Join(err, im.add("bin/"+name, file))
		}
		return err
	}
	m := newCostTable(here)
	status, err := l.measure(ctx, jobs, fill, m)
	if err != nil || status != 0 {
		return status, err
	}
	grown := m.print(l.stdout, kept)
	if o.update {
		l.say("WRITE", "%s", o.kept)
		return 0, writeKept(o.kept, m)
	}
	if grown > 0 {
		return 1, fmt.Errorf("%d of the figures kept in %s grew by more than %.0f %%, or are gone", grown, o.kept, costLimit)
	}
	return 0, nil
}

// measure boots the guest, runs all jobs there and puts what they measured into the table.
func (l *lab) measure(ctx context.Context, jobs []costJob, fill func(*image) error, m *costTable) (int, error) {
	var p plan.Plan
	for _, j := range jobs {
		p.Jobs = append(p.Jobs, j.job)
	}
	all, err := os.Create(filepath.Join(l.out, "log", l.kernel+".cost.out"))
	if err != nil {
		return 4, err
	}
	defer all.Close()
	var stdout, stderr bytes.Buffer
	var bad []string
	out, err := l.boot(ctx, p, fill, func(e plan.Event) {
		switch e.Kind {
		case plan.Note:
			l.say("NOTE", "%s", e.Text)
		case plan.Begin:
			stdout.Reset()
			stderr.Reset()
			fmt.Fprintf(all, "=== %s\n", e.Name)
		case plan.Stdout:
			stdout.Write(e.Data)
			_, _ = all.Write(e.Data)
		case plan.Stderr:
			stderr.Write(e.Data)
			_, _ = all.Write(e.Data)
		case plan.End:
			if err := m.take(jobs[e.Job], e, stdout.String(), stderr.String()); err != nil {
				bad = append(bad, fmt.Sprintf("%s: %v", e.Name, err))
			}
		}
	})
	if err != nil {
		return 4, err
	}
	bad = append(bad, out.faults()...)
	for _, b := range bad {
		l.say("FAULT", "%s", b)
	}
	if len(bad) > 0 {
		l.say("SEE", "%s for all that was printed, %s for the kernel log", all.Name(), out.log)
		return 1, nil
	}
	l.say("COST", "kernel %s (%s), %.0f s, one instruction is %.6f ns of the guest's clock", l.kernel, l.version, out.elapsed.Seconds(), m.tick)
	return 0, nil
}
