package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ringpeak/go/compare"
	"ringpeak/go/config"
	"ringpeak/go/report"
	"ringpeak/go/result"
)

// runCompare is ringpeak compare.
func runCompare(args []string, stdout, stderr io.Writer) error {
	argv := append([]string{"ringpeak", "compare"}, args...)
	return dispatch(config.CompareOptions(), config.CompareHelp(), args, stdout, stderr, func(c *cli.Context) error {
		asked, err := config.CompareFromContext(c)
		if err != nil {
			return err
		}
		return compareSides(&asked, argv, stdout, stderr)
	})
}

func compareSides(asked *config.Comparing, argv []string, stdout, stderr io.Writer) error {
	o := compare.Options{Tool: tool(), Command: argv, Force: asked.Force}
	for _, text := range asked.FailIf {
		c, err := compare.ParseCondition(text)
		if err != nil {
			return err
		}
		o.Conditions = append(o.Conditions, c)
	}
	var err error
	if o.Old, err = documents(asked.Old, stderr); err != nil {
		return err
	}
	if o.New, err = documents(asked.New, stderr); err != nil {
		return err
	}
	c, err := compare.Sides(o)
	if err != nil {
		return err
	}
	if asked.Format == "csv" {
		for _, text := range report.Remarks(c) {
			fmt.Fprintln(stderr, "ringpeak: note:", oneLine(text))
		}
	}
	errs := []error{broken(report.WriteComparison(stdout, asked.Format, c))}
	for _, k := range c.Conditions {
		switch {
		case len(k.Fired) > 0:
			errs = append(errs, result.Errorf(result.StatusAssert, "--fail-if %q: %s", k.Text, k.Outcome))
		case k.Outcome != "":
			fmt.Fprintf(stderr, "ringpeak: note: --fail-if %q is undecided: %s\n", k.Text, oneLine(k.Outcome))
		}
	}
	return errors.Join(errs...)
}

// documents reads all that names stand for.
func documents(names []string, stderr io.Writer) (list []compare.Document, err error) {
	for _, name := range names {
		st, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, unreadable(name, err)
		case st.IsDir():
			docs, err := folder(name, stderr)
			if err != nil {
				return nil, err
			}
			list = append(list, docs...)
			continue
		}
		d, err := savedRun(name, st)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// folder reads the documents in a folder, and notes what else looks like one.
func folder(name string, stderr io.Writer) (list []compare.Document, err error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	for _, e := range entries {
		path := filepath.Join(name, e.Name())
		st, err := os.Stat(path)
		if filepath.Ext(path) != ".json" || err == nil && !st.Mode().IsRegular() {
			continue
		}
		var d compare.Document
		if err == nil {
			d, err = savedRun(path, st)
		}
		if err != nil {
			fmt.Fprintln(stderr, "ringpeak: note: passed over:", oneLine(err.Error()))
			continue
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil, result.Errorf(result.StatusUsage, "there is no result of ringpeak in the folder %s: those that --json wrote under names ending in .json are taken", name)
	}
	return list, nil
}

// savedRun reads one document.
func savedRun(name string, st os.FileInfo) (compare.Document, error) {
	if st.Mode()&os.ModeDevice != 0 {
		return compare.Document{}, result.Errorf(result.StatusUsage, "%s is a device and no result of ringpeak: name a document that --json wrote", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return compare.Document{}, unreadable(name, err)
	}
	defer f.Close()
	text, err := readText(f)
	if err != nil {
		return compare.Document{}, unreadable(name, err)
	}
	r, err := report.ReadDocument(bytes.NewReader(text), name)
	if err != nil {
		return compare.Document{}, err
	}
	return compare.Document{Name: name, Text: text, Result: r}, nil
}

// readText reads all of what may be a document, and no more of anything else
// than shows that: it may be the image of a disk.
func readText(f io.Reader) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil || !bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
		return head, err
	}
	rest, err := io.ReadAll(f)
	return append(head, rest...), err
}

func unreadable(name string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return result.Errorf(result.StatusSetup, "read %s: %w", name, err)
}
