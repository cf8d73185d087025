package config

import (
	"strings"
	"unicode/utf8"

	"ringpeak/go/result"
)

// Normalise rewrites a command line, without the program's name, into one
// that urfave/cli takes: all options as --long=value in their order, then --,
// then the targets. The grammar is getopt's with long options:
//
//   - a letter takes one value, attached or apart: -d128, -d 128;
//   - a long option too: --depth=128, --depth 128; but a long boolean alone
//     means 1 (--latency), so its value has to be attached (--polled=0);
//   - options may follow targets, up to a --;
//   - an option given twice counts the last time.
//
// -h, -?, --help and --version end the parsing and leave only themselves.
// Every value is checked by itself. Normalise of its own output is that output.
func (t Table) Normalise(args []string) ([]string, error) {
	n := normaliser{table: t, rest: args}
	for len(n.rest) > 0 {
		arg := n.next()
		if arg == "--" {
			n.targets = append(n.targets, n.rest...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			n.targets = append(n.targets, arg)
			continue
		}
		o, err := n.option(arg)
		if err != nil {
			return nil, err
		}
		if o.Kind == Action {
			return []string{"--" + o.Name}, nil
		}
	}
	return append(append(n.options, "--"), n.targets...), nil
}

type normaliser struct {
	table   Table
	rest    []string // not yet read
	options []string
	targets []string
}

func (n *normaliser) next() string {
	arg := n.rest[0]
	n.rest = n.rest[1:]
	return arg
}

// option reads one option and its value, and appends it in its long form.
func (n *normaliser) option(arg string) (*Option, error) {
	read := n.short
	if strings.HasPrefix(arg, "--") {
		read = n.long
	}
	o, val, err := read(arg)
	if o != nil && o.NotHere != "" {
		return nil, result.Errorf(result.StatusUsage, "%s: %s", o, o.NotHere)
	}
	if err != nil || o.Kind == Action {
		return o, err
	}
	if _, err := o.parse(val); err != nil {
		return nil, err
	}
	n.options = append(n.options, "--"+o.Name+"="+val)
	return o, nil
}

func (n *normaliser) long(arg string) (*Option, string, error) {
	name, val, attached := strings.Cut(arg[2:], "=")
	o := n.table.byName(name)
	switch {
	case o == nil:
		return nil, "", n.unknown("--" + name)
	case o.Kind == Action && attached:
		return nil, "", result.Errorf(result.StatusUsage, "%s takes no value, not even %q", o, val)
	case o.Kind == Action || attached:
		return o, val, nil
	case o.implied():
		return o, "1", n.notAValue(o)
	}
	val, err := n.separate(o)
	return o, val, err
}

func (n *normaliser) short(arg string) (*Option, string, error) {
	_, size := utf8.DecodeRuneInString(arg[1:])
	letter, val := arg[1:1+size], arg[1+size:]
	o := n.table.byLetter(letter)
	switch name, _, _ := strings.Cut(arg[1:], "="); {
	case (o == nil || name != letter) && name != nHelp && n.table.byName(name) != nil: // ab has both -b and --b
		return nil, "", result.Errorf(result.StatusUsage, "%q has one dash too few: write -%s", arg, arg)
	case o == nil:
		return nil, "", n.unknown("-" + letter)
	case o.Kind == Action:
		return o, "", nil
	case strings.HasPrefix(val, "="):
		return nil, "", result.Errorf(result.StatusUsage, "-%s takes its value without an equals sign: write -%s%s", letter, letter, val[1:])
	case val != "":
		return o, val, nil
	}
	val, err := n.separate(o)
	return o, val, err
}

// separate takes the next argument as the value of o, as getopt does, whatever
// it looks like; but a text that looks like an option is more likely one whose
// predecessor lacks its value.
func (n *normaliser) separate(o *Option) (string, error) {
	if len(n.rest) == 0 {
		return "", result.Errorf(result.StatusUsage, "%s lacks its value: write --%s=%s", o, o.Name, o.Placeholder())
	}
	val := n.next()
	if o.textual() && len(val) > 1 && val[0] == '-' {
		return "", result.Errorf(result.StatusUsage, "%s lacks its value before %q: if that is the value, write --%s=%s", o, val, o.Name, val)
	}
	return val, nil
}

// notAValue refuses a value that stands apart from a long boolean: taken as a
// target it would be a surprise.
func (n *normaliser) notAValue(o *Option) error {
	if len(n.rest) == 0 {
		return nil
	}
	if _, err := o.parse(n.rest[0]); err != nil {
		return nil
	}
	val := n.rest[0]
	return result.Errorf(result.StatusUsage, "--%s takes its value attached: write --%s=%s (a target of that name is ./%s)", o.Name, o.Name, val, val)
}

func (n *normaliser) unknown(given string) error {
	if near := suggest(n.table, given); near != "" {
		return result.Errorf(result.StatusUsage, "there is no option %s: did you mean %s?", given, near)
	}
	return result.Errorf(result.StatusUsage, "there is no option %s: --help lists them, and a target of that name is written ./%s", given, given)
}
