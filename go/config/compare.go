package config

import (
	"slices"

	"github.com/urfave/cli/v2"

	"ringpeak/go/result"
)

// Long forms of the options of ringpeak compare.
const nForce, nFormat, nFailIf = "force", "format", "fail-if"

// CompareOptions is the table of the options of ringpeak compare.
func CompareOptions() Table {
	const g = "Options"
	return Table{
		{
			Name: nFormat, Kind: Enum, Default: "text", Values: []string{"text", "markdown", "json", "csv"}, Arg: "NAME", Group: g,
			Help: "how to print it: text, markdown, json or csv; csv has raw figures, a line per configuration and metric, and the differences go to stderr",
		},
		{
			Name: nFailIf, Kind: Text, Repeat: true, Unset: "none", Arg: "EXPR", Group: g,
			Help: "status 5 when the whole 95 % interval of a change lies beyond a limit: 'iops < -2%', 'p99 > +10%'; may be given several times, and a wrong name lists the metrics",
		},
		{
			Name: nForce, Kind: Bool, Default: "0", Group: g,
			Help: "compare different work: another operation, block size, depth, number of submitters, target or range",
		},
		{Letter: "h", Name: nHelp, Kind: Action, Group: g, Help: "this text; also -?"},
	}
}

// CompareHelp is the text of ringpeak compare --help.
func CompareHelp() string { return CompareOptions().help(compareTop, compareEnd) }

const compareTop = `Usage: ringpeak compare [option ...] OLD NEW
       ringpeak compare [option ...] OLD ... vs NEW ...

Compares results that were saved with --json: before and after a change, in settings or of the
kernel. OLD and NEW are documents, or folders, which stand for all documents in them whose name
ends in .json. A sample is a run, or each complete repeat of one with --repeat; it takes 4 a side
to show a change, and 6 for intervals of the medians. What differs between the sides is said first.
`

const compareEnd = `
A change is the median ratio of new to old with its 95 % interval (Hodges and Lehmann), p that of
Mann and Whitney's test; ~ is no significant change: p is above 0.05, or the interval has 0 in it.
Settings that vary within a side make configurations, each compared with its own on the other
side. A file called vs is ./vs.

Exit status: 0 compared, 1 the output could not be written, 2 wrong command line or documents,
4 a document cannot be read, 5 a condition of --fail-if holds.
`

// Comparing is what one command line of ringpeak compare asks for.
type Comparing struct {
	Old, New []string // documents and folders
	Format   string
	FailIf   []string
	Force    bool
}

// CompareFromContext reads what urfave/cli has parsed of a command line that
// went through Normalise of CompareOptions.
func CompareFromContext(c *cli.Context) (Comparing, error) {
	values, err := CompareOptions().values(c)
	if err != nil {
		return Comparing{}, err
	}
	old, new, err := sides(c.Args().Slice())
	if err != nil {
		return Comparing{}, err
	}
	return Comparing{
		Old: old, New: new, Format: values[nFormat].text, FailIf: values[nFailIf].list, Force: values[nForce].num == 1,
	}, nil
}

// between stands between the two sides where one has several names.
const between = "vs"

// sides divides the names.
func sides(names []string) (old, new []string, err error) {
	fail := func(format string, args ...any) ([]string, []string, error) {
		return nil, nil, result.Errorf(result.StatusUsage, format, args...)
	}
	for _, name := range names {
		switch name {
		case "":
			return fail("a document has an empty name: is a shell variable unset?")
		case "-":
			return fail("stdin is no document: name a file or a folder (a file called - is ./-)")
		}
	}
	at := slices.Index(names, between)
	switch {
	case at < 0 && len(names) == 2:
		return names[:1], names[1:], nil
	case at < 0 && len(names) < 2:
		return fail("there is nothing to compare with: name two documents or folders, as in ringpeak compare OLD NEW")
	case at < 0:
		return fail("%d names, and nothing says where the new side begins: write %s between the two sides, or put each into a folder", len(names), between)
	case at == 0 || at == len(names)-1:
		return fail("one side of %s is empty: name documents or folders on both (a file of that name is ./%s)", between, between)
	case slices.Contains(names[at+1:], between):
		return fail("%s is there twice, and there are two sides: leave one out (a file of that name is ./%s)", between, between)
	}
	return names[:at], names[at+1:], nil
}
