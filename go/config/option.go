package config

import "strings"

// Kind says what an option's value looks like.
type Kind int

// The kinds of option.
const (
	Integer  Kind = iota // decimal, between Min and Max
	Size                 // bytes, with k, m or g for powers of 1024; between Min and Max
	Duration             // seconds, or a Go duration such as 500ms; between Min and Max nanoseconds
	Bool                 // 0 or 1; the long form alone means 1
	Tristate             // as Bool, or auto
	Switch               // as Bool, or one of Values, which are ways of being on
	Enum                 // one of Values
	Path                 // the name of a file
	CPUList              // numbers and ranges, 0-3,8
	Text                 // anything but nothing
	Flags                // options and targets in one text, as a shell has them; may be empty
	Fraction             // a part as 1% or 0.01; between Min and Max millionths
	Action               // takes no value and ends the parsing: help, version
)

// Groups of options, in the order of the help.
const (
	GroupLoad      = "Load"
	GroupRun       = "Run"
	GroupPath      = "I/O path"
	GroupEngine    = "Instead of io_uring reads"
	GroupPlacement = "Placement"
	GroupOutput    = "Output"
	GroupNoEffect  = "Accepted without effect"
)

// Table is the options of one command, in the order of its help.
type Table []Option

// Option is one option of the command line.
type Option struct {
	Letter string // without its dash; empty when there is only the long form
	Name   string // long form, without its dashes
	Kind   Kind
	// Default is the value of an option that is not given, as it would be
	// typed; empty when not giving it is a state of its own, which Unset names.
	Default string
	Unset   string

	Arg      string   // placeholder of the value; made from the kind where empty
	Min, Max int64    // bounds of a number, inclusive
	Values   []string // of an Enum
	Repeat   bool     // may be given several times, and each counts
	Hidden   bool     // is in no help, where another entry speaks for it
	NotHere  string   // why this command refuses it, and what to do; it is in no help

	Help  string // one line, no full stop
	Group string
	Since string // release of fio whose t/io_uring first had the letter; empty: ours
}

// String is the option as error messages name it: -d/--depth.
func (o *Option) String() string {
	if o.Letter == "" {
		return "--" + o.Name
	}
	return "-" + o.Letter + "/--" + o.Name
}

// DefaultText is what the help shows as the default.
func (o *Option) DefaultText() string {
	if o.Default == "" {
		return o.Unset
	}
	return o.Default
}

// Placeholder stands for the value in the help.
func (o *Option) Placeholder() string {
	switch {
	case o.Arg != "":
		return o.Arg
	case o.Kind == Bool:
		return "0|1"
	case o.Kind == Tristate:
		return "0|1|auto"
	case o.Kind == Switch:
		return "0|1|" + strings.Join(o.Values, "|")
	}
	return strings.Join(o.Values, "|")
}

// implied says whether the long form may stand alone and mean 1.
func (o *Option) implied() bool { return o.Kind == Bool || o.Kind == Tristate || o.Kind == Switch }

// textual says whether any text can be the value, so that a value which looks
// like an option needs a second look.
func (o *Option) textual() bool {
	return o.Kind == Path || o.Kind == Enum || o.Kind == CPUList || o.Kind == Text
}

// byName finds an option by its long form.
func (t Table) byName(name string) *Option {
	for i := range t {
		if t[i].Name == name {
			return &t[i]
		}
	}
	return nil
}

// byLetter finds an option by its letter. The peer takes -? for -h.
func (t Table) byLetter(letter string) *Option {
	if letter == "?" {
		letter = "h"
	}
	for i := range t {
		if t[i].Letter == letter {
			return &t[i]
		}
	}
	return nil
}
