package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

// compared parses a command line of ringpeak compare.
func compared(t *testing.T, args ...string) (got Comparing, err error) {
	t.Helper()
	argv, err := CompareOptions().Normalise(args)
	if err != nil {
		return got, err
	}
	app := &cli.App{Flags: CompareOptions().Flags(), HideHelp: true, Action: func(c *cli.Context) (err error) {
		got, err = CompareFromContext(c)
		return err
	}}
	err = app.Run(append([]string{"ringpeak"}, argv...))
	return got, err
}

func TestCompare(t *testing.T) {
	for line, want := range map[string]Comparing{
		"a b": {Old: []string{"a"}, New: []string{"b"}, Format: "text"},
		"a vs b --format csv --force": {
			Old: []string{"a"}, New: []string{"b"}, Format: "csv", Force: true,
		},
		"--fail-if iops<-2% a c vs b --fail-if=p99>1% d e --force=0": {
			Old: []string{"a", "c"}, New: []string{"b", "d", "e"}, Format: "text", FailIf: []string{"iops<-2%", "p99>1%"},
		},
		"./vs -- -b": {Old: []string{"./vs"}, New: []string{"-b"}, Format: "text"},
	} {
		got, err := compared(t, strings.Fields(line)...)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%q: %v\n%s", line, err, d)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	for line, want := range map[string]string{
		"":               "nothing to compare with",
		"a":              "nothing to compare with",
		"a b c":          "write vs between the two sides",
		"vs b":           "one side of vs is empty",
		"a vs":           "one side of vs is empty",
		"vs":             "one side of vs is empty",
		"a vs b vs c":    "vs is there twice",
		"a -":            "stdin is no document",
		"a b --formt x":  "did you mean --format",
		"a b --format x": "one of text, markdown, json, csv",
		"a b --fail-if":  "lacks its value",
		"a b -d4":        "there is no option -d",
		"--force 1 a b":  "write --force=1",
	} {
		_, err := compared(t, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
			continue
		}
		wantUsage(t, []string{line}, err)
	}
	if _, err := compared(t, "a", ""); err == nil || !strings.Contains(err.Error(), "empty name") {
		t.Error(err)
	}
}
