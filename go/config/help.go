package config

import (
	"fmt"
	"strings"
)

const (
	helpColumn = 32 // where the explanations start
	helpWidth  = 96
)

// Help is the text of --help, made from the table. It has no braces and so can
// be given to urfave/cli as a template.
func Help() string { return Options().help(helpTop, helpEnd) }

// help is the list of the options between two texts.
func (t Table) help(top, end string) string {
	var b strings.Builder
	b.WriteString(top)
	group := ""
	for _, o := range t {
		if o.NotHere != "" || o.Hidden {
			continue
		}
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, "\n%s\n", group)
		}
		writeOption(&b, &o)
	}
	b.WriteString(end)
	return b.String()
}

const helpTop = `Usage: ringpeak [option ...] [--] target ...
       ringpeak [option ...] -N1

Measures how many I/Os per second this machine does through io_uring: reads of the block
devices or files that are named, or no-ops. Nothing is ever written to a target.
The letters are those of fio's t/io_uring. Defaults are in square brackets at the end.
`

const helpEnd = `
A letter takes its value attached or apart: -d128, -d 128. So does a long option: --depth=128,
--depth 128; but a long 0|1 alone means 1, and its value has to be attached: --latency,
--random=0. Options may follow targets; after -- everything is a target. Of an option given
twice the last one counts; --assert adds up.

Exit status: 0 measured without errors, 1 I/O errors or nothing measured, 2 wrong command line,
3 refused for safety, 4 set-up failed, 5 an assertion failed, 130 stopped by a second signal.
`

func writeOption(b *strings.Builder, o *Option) {
	text := o.Help
	if o.Kind != Action {
		text += " [" + o.DefaultText() + "]"
	}
	left := helpLeft(o)
	for _, line := range wrap(text, helpWidth-helpColumn) {
		fmt.Fprintf(b, "%-*s%s\n", helpColumn, left, line)
		left = ""
	}
}

// helpLeft is the option as it is written: -d, --depth N or -B, --fixed-buffers[=0|1].
func helpLeft(o *Option) string {
	letter := "    "
	if o.Letter != "" {
		letter = "-" + o.Letter + ", "
	}
	switch {
	case o.Kind == Action:
		return "  " + letter + "--" + o.Name
	case o.implied():
		return "  " + letter + "--" + o.Name + "[=" + o.Placeholder() + "]"
	}
	return "  " + letter + "--" + o.Name + " " + o.Placeholder()
}

// wrap breaks text at spaces into lines of at most width bytes.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
