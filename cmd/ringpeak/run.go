package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"ringpeak/go/assert"
	"ringpeak/go/bench"
	"ringpeak/go/config"
	"ringpeak/go/engine/cring"
	"ringpeak/go/report"
	"ringpeak/go/result"
)

// run is the whole program: argv in, exit status out. Results go to stdout,
// everything else to stderr.
func run(argv []string, stdout, stderr io.Writer) int {
	if len(argv) < 2 {
		return tell(stderr, introduce(stdout, stderr))
	}
	if c := findCommand(argv[1:]); c != nil {
		return tell(stderr, c.start(argv[2:], stdout, stderr))
	}
	return tell(stderr, dispatch(config.Options(), config.Help()+commandsHelp(), argv[1:], stdout, stderr, func(c *cli.Context) error {
		req, err := config.FromContext(c, config.NewSeed)
		if err != nil {
			return err
		}
		stop, done := watchSignals(stderr, nil)
		defer done()
		return measure(job{req: req, argv: argv, stop: stop}, stdout, stderr)
	}))
}

// dispatch parses the arguments of a command and calls action, unless help or
// version was asked for.
func dispatch(table config.Table, help string, args []string, stdout, stderr io.Writer, action cli.ActionFunc) error {
	args, err := table.Normalise(args)
	if err != nil {
		return err
	}
	out := &careful{Writer: stdout}
	cli.VersionPrinter = func(*cli.Context) { printVersion(out) }
	app := &cli.App{
		Name:                  "ringpeak",
		Usage:                 "measure peak I/Os per second through io_uring",
		Version:               version,
		Flags:                 table.Flags(),
		CustomAppHelpTemplate: help,
		HideHelpCommand:       true,
		Writer:                out,
		ErrWriter:             stderr,
		ExitErrHandler:        func(*cli.Context, error) {}, // nothing below main exits
		OnUsageError:          func(_ *cli.Context, err error, _ bool) error { return err },
		Action:                action,
	}
	if err := app.Run(append([]string{"ringpeak"}, args...)); err != nil {
		return err
	}
	return broken(out.err)
}

// careful keeps the error of a write, which urfave/cli does not tell.
type careful struct {
	io.Writer
	err error
}

func (c *careful) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

// tell prints an error as one line, several as one line each, and returns the
// exit status that goes with the first.
func tell(stderr io.Writer, err error) int {
	if err == nil {
		return result.StatusOK
	}
	var said silent
	if errors.As(err, &said) {
		return said.status
	}
	list := []error{err}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		list = several.Unwrap()
	}
	told := map[string]bool{}
	for _, err := range list {
		text := oneLine(err.Error())
		if !told[text] {
			fmt.Fprintln(stderr, "ringpeak:", text)
			told[text] = true
		}
	}
	var e *result.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return result.StatusUsage
}

// oneLine makes control characters, of a file's name, visible and harmless.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func printVersion(w io.Writer) {
	linked := cring.Linked()
	fmt.Fprintf(w, "ringpeak %s (commit %s, liburing %s, core %s)\n", version, commit, linked.Liburing, linked.CoreID)
}

// job is one run to be measured and reported.
type job struct {
	req   config.Request
	argv  []string
	names map[string]string // what targets are called, by path
	stop  <-chan string
}

// measure runs a job. The record is saved before the summary is printed.
func measure(j job, stdout, stderr io.Writer) error {
	text := stdout
	if j.req.OnStdout() {
		text = stderr
	}
	reporter, err := report.New(text, j.req.Style)
	if err != nil {
		return result.Errorf(result.StatusUsage, "%w", err)
	}
	if err := checkOutputs(&j.req.Outputs, j.req.Spec.Targets); err != nil {
		return err
	}
	assertions, err := assert.ParseAll(&j.req.Spec, bench.CheckCodes())
	if err != nil {
		return err
	}
	eng, err := cring.New()
	if err != nil {
		return err
	}
	notes := notes{w: stderr, checks: j.req.Style == report.StyleNative}
	notes.tell(j.req.Notes)
	var observers bench.Observers
	lines := lines(j.req.JSONL, stdout)
	if lines != nil {
		observers = append(observers, lines) // first: it may be refused
	}
	observers = append(observers, &observer{Reporter: reporter, notes: notes, told: len(j.req.Notes)})
	res, err := bench.Run(bench.Options{
		Spec:     j.req.Spec,
		Command:  j.argv,
		Tool:     tool(),
		System:   system(),
		Notes:    j.req.Notes,
		Names:    j.names,
		Engine:   eng,
		Observer: observers,
		Stop:     j.stop,
	})
	if res == nil {
		return err
	}
	failed := judge(assertions, res)
	errs := append([]error{err}, saveAll(&j.req.Outputs, res, lines, stdout)...)
	errs = append(errs, broken(reporter.Finished(res)))
	return errors.Join(append(errs, failed...)...)
}

// broken gives an output error its status.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return result.Errorf(result.StatusIO, "%w", err)
}
