package main

import (
	"fmt"
	"io"
	"strings"

	"ringpeak/go/config"
	"ringpeak/go/result"
)

// subcommand is something that the program does instead of measuring. It is
// recognised as the first argument only, and only by its whole name: a file of
// that name is ./NAME.
type subcommand struct {
	name    string
	summary string // one line of the help, no full stop
	help    string // all of its own help
	run     func(args []string, stdout, stderr io.Writer) error
}

// commands are all of them, in the order of the help.
func commands() []subcommand {
	return []subcommand{
		{
			name:    "ab",
			summary: "compare settings, binaries or kernel knobs, in slices that take turns",
			help:    config.ABHelp(),
			run:     runAB,
		},
		{
			name:    "compare",
			summary: "compare saved results: ringpeak compare OLD NEW",
			help:    config.CompareHelp(),
			run:     runCompare,
		},
		{
			name:    "schema",
			summary: "print the JSON Schema of the documents that --json writes",
			help: `Usage: ringpeak schema [run|ab|compare]

Prints the JSON Schema (draft 2020-12) of a document: of a run, ` + result.SchemaVersion + `, of ringpeak ab,
` + result.ABSchemaVersion + `, or of ringpeak compare, ` + result.ComparisonSchemaVersion + `.
Fields may be added under one version of it, so documents of older and of newer versions of
ringpeak that name it are valid too. The lines of --jsonl have the fields of the document.
`,
			run: printSchema,
		},
	}
}

// findCommand is the one that a command line begins with, nil when it is none.
func findCommand(args []string) *subcommand {
	for _, c := range commands() {
		if len(args) > 0 && args[0] == c.name {
			return &c
		}
	}
	return nil
}

// start runs the command with the arguments behind its name.
func (c *subcommand) start(args []string, stdout, stderr io.Writer) error {
	for _, a := range args {
		if a == "--help" || a == "-h" || a == "-?" {
			_, err := io.WriteString(stdout, c.help)
			return broken(err)
		}
	}
	return c.run(args, stdout, stderr)
}

// commandsHelp is the part of the help that lists them.
func commandsHelp() string {
	var b strings.Builder
	b.WriteString("\nCommands, as the first argument (a file of that name is ./NAME); each has its own --help\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-30s%s\n", c.name, c.summary)
	}
	return b.String()
}

func printSchema(args []string, stdout, _ io.Writer) error {
	text := result.Schema()
	switch strings.Join(args, " ") {
	case "", "run":
	case "ab":
		text = result.ABSchema()
	case "compare":
		text = result.ComparisonSchema()
	default:
		return result.Errorf(result.StatusUsage, "schema takes one of run, ab and compare, and there is %q: to read a file called schema, write ./schema", strings.Join(args, " "))
	}
	_, err := io.WriteString(stdout, text)
	return broken(err)
}
