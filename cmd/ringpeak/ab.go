package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/urfave/cli/v2"

	"ringpeak/go/ab"
	"ringpeak/go/config"
	"ringpeak/go/report"
	"ringpeak/go/result"
)

// runAB is the command ab.
func runAB(args []string, stdout, stderr io.Writer) error {
	argv := append([]string{"ringpeak", "ab"}, args...)
	return dispatch(config.ABOptions(), config.ABHelp(), args, stdout, stderr, func(c *cli.Context) error {
		req, err := config.ABFromContext(c, config.NewSeed)
		if err != nil {
			return err
		}
		group := new(ab.Group)
		stop, done := watchSignals(stderr, group.Kill)
		defer done()
		return compareArms(&req, argv, group, stop, stdout, stderr)
	})
}

// compareArms makes the comparison that was asked for. The record is saved
// before the outcome is printed.
func compareArms(req *config.ABRequest, argv []string, group *ab.Group, stop <-chan string, stdout, stderr io.Writer) error {
	text := stdout
	if req.OnStdout() {
		text = stderr
	}
	arms, targets, err := arms(req)
	if err != nil {
		return err
	}
	if least := ab.LeastPairs(len(arms)); req.Plan.Pairs < least {
		return result.Errorf(result.StatusUsage, "--pairs %d: with %d arms, fewer than %d show nothing", req.Plan.Pairs, len(arms), least)
	}
	if err := checkOutputs(&req.Outputs, targets); err != nil {
		return err
	}
	notes := notes{w: stderr}
	notes.tell(req.Notes)
	reporter := report.NewAB(text)
	c, err := ab.Run(ab.Options{
		Plan: req.Plan, Arms: arms, Command: argv, Tool: tool(), System: system(), Notes: req.Notes,
		Runner:   &ab.Program{Plan: req.Plan, Arms: arms, Read: report.ReadDocument, Group: group},
		Switcher: switcher(&req.Plan, group, stderr),
		Observer: reporter,
		Stop:     stop,
	})
	notes.tell(c.Notes[len(req.Notes):])
	errs := append([]error{err}, saveAB(&req.Outputs, c, stdout)...)
	if c.Pairs > 0 {
		errs = append(errs, broken(reporter.Finished(c.AB)))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if c.End.Status != result.StatusOK {
		return silent{c.End.Status}
	}
	return nil
}

// silent is an exit status for which everything has been said.
type silent struct{ status int }

func (s silent) Error() string { return fmt.Sprintf("status %d", s.status) }

// arms are those of a request, their binaries found, and all their targets.
func arms(req *config.ABRequest) (arms []result.ABArm, targets []string, err error) {
	for i := range req.Arms {
		a := &req.Arms[i]
		if a.Spec != nil {
			targets = append(targets, a.Spec.Targets...)
		}
		binary := a.Binary
		if binary != "" {
			if binary, err = exec.LookPath(a.Binary); err != nil {
				return nil, nil, result.Because(err, result.StatusSetup, "--%s-bin %s: %s: name another ringpeak binary, with its folder (./ for this one) unless it is in $PATH", a.Name, a.Binary, reason(err))
			}
		}
		arms = append(arms, result.ABArm{Name: a.Name, Flags: a.Flags, Args: a.Args, Binary: binary})
	}
	return arms, targets, nil
}

// reason is an error without the names of what failed and of the file.
func reason(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

// switcher is what runs --switch; nil without it. What --undo says goes where
// this program's own words do.
func switcher(p *result.ABPlan, group *ab.Group, stderr io.Writer) ab.Switcher {
	if p.Switch == "" {
		return nil
	}
	f, _ := stderr.(*os.File) // nil, of tests, is /dev/null
	return &ab.Shell{Command: p.Switch, Undo: p.Undo, Stderr: f, Group: group}
}

// saveAB writes everything that a comparison leaves, each whatever becomes of
// the other. The document comes last, so that its end knows.
func saveAB(o *config.Outputs, c *ab.Comparison, stdout io.Writer) (errs []error) {
	did := func(err error) {
		if err = broken(err); err != nil {
			errs = append(errs, err)
			unsaved(&c.End, err)
		}
	}
	switch o.Bench {
	case "":
	case "-":
		did(report.WriteABBench(stdout, c.AB, c.Results))
	default:
		did(report.SaveABBench(o.Bench, c.AB, c.Results))
	}
	switch o.JSON {
	case "":
	case "-":
		did(report.WriteAB(stdout, c.AB))
	default:
		did(report.SaveAB(o.JSON, c.AB))
	}
	return errs
}
