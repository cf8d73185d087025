package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ringpeak/build/lab/plan"
)

// smoke are short runs of the benchmark, each with the first kernel on which it can work.
var smoke = []struct{ since, args string }{
	{"5.10", "--version"},
	{"5.10", "-N1 -r0.5"},
	{"5.10", "-p1 -r0.5 " + plan.Dir + "nvme-poll"},
	{"5.10", "-p0 -r0.5 " + plan.Dir + "virtio"},
	{"6.1", "-p1 -r0.5 " + plan.Dir + "virtio"},
}

// The table is the first job.
const tableJob = 0

// suite is what `lab run` runs: the table of devices always, the benchmark if there is one.
func suite(kernel string, withBinary bool) []plan.Job {
	jobs := []plan.Job{{Name: "table", Argv: []string{"/init", "table"}, Timeout: 30 * time.Second}}
	if !withBinary {
		return jobs
	}
	for _, s := range smoke {
		if index(s.since) <= index(kernel) {
			jobs = append(jobs, plan.Job{
				Name: "ringpeak " + s.args, Argv: append([]string{"/bin/ringpeak"}, strings.Fields(s.args)...),
				Timeout: 30 * time.Second,
			})
		}
	}
	return jobs
}

func index(kernel string) int {
	for i, k := range kernels {
		if k == kernel {
			return i
		}
	}
	return -1
}

func runSuite(ctx context.Context, l *lab, o options) (int, error) {
	l.say("LAB", "%s is %s (%s)", l.kernel, l.release, l.version)
	if o.selfCheck {
		return l.selfCheck(ctx)
	}
	if o.bin == "" {
		l.say("SKIP", "no benchmark given (--bin build/out/ringpeak-static): only the devices are looked at")
	} else if err := static(o.bin); err != nil {
		return 4, err
	}
	jobs := suite(l.kernel, o.bin != "")
	tests, err := l.compile(ctx, o.packages)
	if err != nil {
		return 4, err
	}
	for _, t := range tests {
		jobs = append(jobs, t.job())
	}
	for _, p := range o.programs {
		if err := static(p); err != nil {
			return 4, err
		}
		jobs = append(jobs, plan.Job{Name: programMark + filepath.Base(p), Argv: []string{programPath(p)}, Timeout: testTimeout})
	}
	fill := func(im *image) error {
		err := addBinary(im, o.bin)
		for _, p := range o.programs {
			err = errors.Join(err, im.add(programPath(p), p))
		}
		if err != nil {
			return err
		}
		if len(tests) == 0 {
			return nil
		}
		for _, t := range tests {
			if err := errors.Join(im.add(t.guest(), t.file), im.w.Dir(t.dir)); err != nil {
				return err
			}
		}
		return l.addTestdata(im)
	}
	all, err := os.Create(l.logFile("out"))
	if err != nil {
		return 4, err
	}
	defer all.Close()
	out, err := l.boot(ctx, plan.Plan{Jobs: jobs}, fill, (&screen{l: l, verbose: o.verbose, all: all}).show)
	if err != nil {
		return 4, err
	}
	status := l.report(jobs, out)
	if status != 0 {
		l.say("SEE", "%s for all that was printed, %s for the kernel log", all.Name(), out.log)
	}
	return status, nil
}

// Test programs in C say by their status that they are skipped, and why on their last line.
const (
	programMark    = "C test "
	programSkipped = 77
)

func programPath(file string) string { return "/tests/" + filepath.Base(file) }

func succeeded(e plan.Event) bool {
	return (e.Status == 0 || e.Status == programSkipped && strings.HasPrefix(e.Name, programMark)) && !e.TimedOut
}

func addBinary(im *image, bin string) error {
	if bin == "" {
		return nil
	}
	return im.add("bin/ringpeak", bin)
}

// screen shows a suite to a person: of a command that passed its last line, of one that did not the beginning and
// the end. All of it goes to the file of outputs.
type screen struct {
	l       *lab
	verbose bool
	all     io.Writer
	output  bytes.Buffer
}

// What is shown of a failure. Go's stack dumps are long and begin with what matters.
const headLines, tailLines = 40, 15

func (s *screen) show(e plan.Event) {
	switch e.Kind {
	case plan.Note:
		s.l.say("NOTE", "%s", e.Text)
	case plan.Begin:
		s.output.Reset()
		fmt.Fprintf(s.all, "=== %s\n", e.Name)
		s.l.say("RUN", "%s", e.Name)
	case plan.Stdout, plan.Stderr:
		_, _ = s.all.Write(e.Data)
		if s.verbose || e.Job == tableJob {
			_, _ = s.l.stdout.Write(e.Data)
		} else {
			s.output.Write(e.Data)
		}
	case plan.End:
		if text := excerpt(s.output.String(), succeeded(e)); text != "" {
			fmt.Fprintln(s.l.stdout, text)
		}
		if !succeeded(e) {
			s.l.say("FAIL", "%s: %s", e.Name, failure(e))
		}
	}
}

func excerpt(output string, passed bool) string {
	output = strings.TrimSpace(output)
	lines := strings.Split(output, "\n")
	switch {
	case passed:
		return lines[len(lines)-1]
	case len(lines) <= headLines+tailLines:
		return output
	}
	left := fmt.Sprintf("... %d lines left out ...", len(lines)-headLines-tailLines)
	return strings.Join(slices.Concat(lines[:headLines], []string{left}, lines[len(lines)-tailLines:]), "\n")
}

func failure(e plan.Event) string {
	s := fmt.Sprintf("status %d", e.Status)
	if e.TimedOut {
		s = fmt.Sprintf("timed out after %.0f s, %s", e.Elapsed.Seconds(), s)
	}
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// report says how it went and returns the exit status.
func (l *lab) report(jobs []plan.Job, out *outcome) int {
	failed := 0
	for i := range jobs {
		if e, ok := out.ends[i]; !ok || !succeeded(e) {
			failed++
		}
	}
	faults := out.faults()
	for _, f := range faults {
		l.say("FAULT", "%s", f)
	}
	verdict := "PASS"
	if failed > 0 || len(faults) > 0 {
		verdict = "FAIL"
	}
	l.say(verdict, "kernel %s: %d of %d commands, %d bad lines in the kernel log, %.0f s (%.1f s to boot)",
		l.kernel, len(jobs)-failed, len(jobs), len(out.findings), out.elapsed.Seconds(), out.booted.Seconds())
	if verdict == "FAIL" {
		return 1
	}
	return 0
}
