package config

import (
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ringpeak/go/result"
)

// ABRequest is what one command line of ab asks for.
type ABRequest struct {
	Arms []Arm
	Plan result.ABPlan
	Outputs
	Notes []result.Note
}

// Arm is one of what ab compares.
type Arm struct {
	Name   string   // its letter
	Flags  string   // as they were given
	Binary string   // another ringpeak's path; "" for this one
	Args   []string // command line of a slice: the common options, its own, the targets
	// Spec is what they mean; nil where another binary knows flags that this
	// one does not.
	Spec *result.Spec
}

// ABFromContext reads what urfave/cli has parsed of a command line of ab that
// went through Normalise. Each arm is a run's command line that is right as a
// whole. newSeed is called when --seed is not given.
func ABFromContext(c *cli.Context, newSeed func() uint64) (ABRequest, error) {
	v, err := ABOptions().values(c)
	if err != nil {
		return ABRequest{}, err
	}
	p := abParser{values: v, common: common(v), targets: c.Args().Slice(), newSeed: newSeed}
	req := ABRequest{Plan: p.plan()}
	if req.Outputs, err = p.outputs(); err != nil {
		return ABRequest{}, err
	}
	if err := p.check(); err != nil {
		return ABRequest{}, err
	}
	for _, letter := range p.letters() {
		arm, err := p.arm(letter, req.Plan.Seed)
		if err != nil {
			return ABRequest{}, err
		}
		req.Arms = append(req.Arms, arm)
	}
	req.Notes = p.notes(&req)
	return req, nil
}

// abParser holds what all arms of a command line have in common.
type abParser struct {
	values
	common  []string // options of a run that were given
	targets []string
	newSeed func() uint64
}

// common are the options of a run that were given, in the form that Normalise
// leaves, but for those that ab itself keeps.
func common(v values) []string {
	var list []string
	for _, o := range ABOptions()[len(abOwn()):] {
		given := v[o.Name]
		if given.set && !slices.Contains([]string{nRuntime, nWarmup, nSeed, nJSON, nBench, nNoCeiling}, o.Name) {
			list = append(list, "--"+o.Name+"="+given.text)
		}
	}
	return list
}

func (p *abParser) plan() result.ABPlan {
	plan := result.ABPlan{
		Pairs:    p.int(nPairs),
		SliceNS:  p.num(nRuntime),
		SettleNS: p.num(nWarmup),
		AA:       p.on(nAA),
		Switch:   p.text(nSwitch),
		Undo:     p.text(nUndo),
	}
	if p.set(nPrecision) {
		percent := float64(p.num(nPrecision)) / 1e4
		plan.Precision = &percent
		if !p.set(nPairs) {
			plan.Pairs = cappedPairs
		}
	}
	plan.Seed = uint64(p.num(nSeed))
	if !p.set(nSeed) {
		plan.Seed = p.newSeed()
	}
	return plan
}

func (p *abParser) outputs() (Outputs, error) {
	r := resolver{values: p.values}
	return r.outputs(), r.checkOutputs()
}

// armed are the letters that some option names.
func (p *abParser) armed() []string {
	var list []string
	for i := range MaxArms {
		letter := string(rune('a' + i))
		if p.set(letter) || p.set(letter+binSuffix) {
			list = append(list, letter)
		}
	}
	return list
}

// letters are those of the arms: a and what was named. A command that switches
// something, and a comparison of the same with itself, need no flags.
func (p *abParser) letters() []string {
	list := p.armed()
	if len(list) == 0 {
		return []string{"a", "b"}
	}
	if list[0] != "a" {
		list = slices.Insert(list, 0, "a")
	}
	return list
}

// check refuses what does not go together.
func (p *abParser) check() error {
	arms := p.armed()
	switch {
	case p.on(nAA) && len(arms) > 0:
		return result.Errorf(result.StatusUsage, "--aa compares the common flags with themselves, and --%s names others: leave one out", arms[0])
	case p.on(nAA) && p.set(nSwitch):
		return result.Errorf(result.StatusUsage, "--aa compares the same with itself, and --switch changes something: leave one out")
	case len(arms) == 0 && !p.on(nAA) && !p.set(nSwitch):
		return result.Errorf(result.StatusUsage, "there is nothing to compare: give the arms, as in --a '-p0' --b '-p1', or --aa for the noise floor of this machine")
	case len(arms) == 1 && arms[0] == "a":
		return result.Errorf(result.StatusUsage, "there is one arm only: add --b")
	case p.set(nSwitch) && !p.set(nUndo):
		return result.Errorf(result.StatusUsage, "--switch changes something, and nothing would put it back: add --undo 'COMMAND' (--undo true if there is nothing to put back)")
	case p.set(nUndo) && !p.set(nSwitch):
		return result.Errorf(result.StatusUsage, "--undo puts back what --switch changes, and there is no --switch: add it, or leave --undo out")
	}
	return nil
}

// arm makes one of them. Its options come after the common ones, and so count.
func (p *abParser) arm(letter string, seed uint64) (Arm, error) {
	a := Arm{Name: letter, Flags: p.text(letter), Binary: p.text(letter + binSuffix)}
	words, err := Words(a.Flags)
	if err != nil {
		return a, result.Errorf(result.StatusUsage, "--%s: %w", letter, err)
	}
	own, err := armOptions().Normalise(words)
	if err == nil && len(own) == 1 && own[0] != "--" {
		err = result.Errorf(result.StatusUsage, "%s is none of an arm's: leave it out", own[0])
	}
	if err != nil && a.Binary == "" {
		return a, ofArm(letter, err)
	}
	if err != nil { // flags of the other binary, which will say what it thinks of them
		a.Args = slices.Concat(p.common, words, p.targets)
		return a, nil
	}
	at := slices.Index(own, "--")
	targets := p.targets
	if at+1 < len(own) {
		targets = own[at+1:]
	}
	a.Args = slices.Concat(p.common, own[:at], []string{"--"}, targets)
	req, err := parseRun(a.Args, seed)
	if err != nil && a.Binary == "" {
		return a, ofArm(letter, err)
	}
	if err == nil {
		a.Spec = &req.Spec
	}
	return a, nil
}

// ofArm says of which arm an error is.
func ofArm(letter string, err error) error {
	return result.Because(err, result.StatusUsage, "arm %s: %s", letter, err)
}

// parseRun is FromContext for a normalised command line of a run.
func parseRun(args []string, seed uint64) (req Request, err error) {
	app := cli.App{
		Name: "ringpeak", Flags: Options().Flags(), HideHelp: true, HideVersion: true, HideHelpCommand: true,
		Writer: io.Discard, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			req, err = FromContext(c, func() uint64 { return seed })
			return err
		},
	}
	return req, app.Run(append([]string{"ringpeak"}, args...))
}

// notes says what a person may not have meant.
func (p *abParser) notes(req *ABRequest) (notes []result.Note) {
	if req.Plan.SliceNS > 5e9 {
		notes = append(notes, result.Notef("long-slices", "slices of %s are long: the closer the two of a pair are, the less the machine changes between them, and %s is the default",
			trimmed(req.Plan.SliceNS), defaultSlice))
	}
	if req.Plan.AA || req.Plan.Switch != "" {
		return notes
	}
	for i := range req.Arms[1:] {
		b := &req.Arms[1+i]
		if b.Binary == req.Arms[0].Binary && b.Spec != nil && reflect.DeepEqual(b.Spec, req.Arms[0].Spec) {
			notes = append(notes, result.Notef("same-arms", "arm %s is the same as arm a: --aa makes more of such a comparison", b.Name))
		}
	}
	return notes
}

// trimmed is a time in seconds.
func trimmed(ns int64) string { return strings.ReplaceAll(seconds(ns), " s", "s") }
