package config

import (
	"crypto/rand"
	"encoding/binary"
	"strings"

	"github.com/urfave/cli/v2"

	"ringpeak/go/result"
)

// StyleNative is the text output of our own; the others of Styles are the line
// formats of t/io_uring as it was in a release of fio.
const StyleNative = "native"

// Styles lists the formats of text output.
func Styles() []string {
	return []string{StyleNative, "fio-3.29", "fio-3.33", "fio-3.42"}
}

// Request is what one command line asks for.
type Request struct {
	Spec  result.Spec
	Style string // one of Styles
	Outputs
	Notes []result.Note // what was changed or ignored, for stderr and the document
}

// Flags makes the flags of the table for urfave/cli. They all are strings, so
// that there is one parser of values: ours. They have no letters, which Normalise
// leaves none of, and which package flag would not tell from long names. Help
// and version are urfave/cli's own flags and are not among them.
func (t Table) Flags() []cli.Flag {
	var flags []cli.Flag
	for _, o := range t {
		if o.Kind == Action || o.NotHere != "" {
			continue
		}
		if o.Repeat {
			flags = append(flags, &cli.GenericFlag{
				Name: o.Name, Usage: o.Help, Category: o.Group, Value: new(texts), DefaultText: o.DefaultText(),
			})
			continue
		}
		flags = append(flags, &cli.StringFlag{
			Name: o.Name, Usage: o.Help, Category: o.Group, Value: o.Default, DefaultText: o.DefaultText(),
		})
	}
	return flags
}

// FromContext reads the flags and the targets that urfave/cli has parsed from
// a command line that went through Normalise; from another one, options after a
// target would be taken for targets. newSeed is called when --seed is not given.
func FromContext(c *cli.Context, newSeed func() uint64) (Request, error) {
	values, err := Options().values(c)
	if err != nil {
		return Request{}, err
	}
	r := resolver{values: values}
	return r.resolve(c.Args().Slice(), newSeed)
}

// values reads what urfave/cli has parsed of the table's options.
func (t Table) values(c *cli.Context) (values, error) {
	all := values{}
	for _, o := range t {
		if o.Repeat {
			if list, ok := c.Generic(o.Name).(*texts); ok {
				all[o.Name] = value{set: c.IsSet(o.Name), list: *list}
			}
			continue // Normalise has checked each
		}
		raw, set := c.String(o.Name), c.IsSet(o.Name)
		if o.Kind == Action || raw == "" && !set {
			continue
		}
		v, err := o.parse(raw)
		if err != nil {
			return nil, err
		}
		v.set = set
		all[o.Name] = v
	}
	return all, nil
}

// texts are the values of an option that repeats. urfave/cli's own list splits
// them at commas.
type texts []string

// Set implements flag.Value.
func (t *texts) Set(s string) error {
	*t = append(*t, s)
	return nil
}

// String implements flag.Value.
func (t *texts) String() string { return strings.Join(*t, " ") }

// NewSeed draws a seed that is short enough to be typed again.
func NewSeed() uint64 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return uint64(binary.NativeEndian.Uint32(b[:]))
}
