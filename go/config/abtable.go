package config

import (
	"math"
	"strings"
	"time"
)

// MaxArms is how many arms ab takes. They are called by letters, and h is help's.
const MaxArms = 7

// Defaults of ab.
const (
	defaultSlice   = "500ms"
	defaultSettle  = "100ms"
	defaultPairs   = "20"
	cappedPairs    = 200 // with --precision
	minPairs       = 6   // fewer show nothing: see stats.MinPairs
	maxPairs       = 10000
	minSlice       = 50 * int64(time.Millisecond)
	minPrecision   = 100 // millionths
	maxPrecision   = 500_000
	groupAB        = "Comparison"
	nPairs, nAA    = "pairs", "aa"
	nPrecision     = "precision"
	nSwitch, nUndo = "switch", "undo"
	binSuffix      = "-bin"
	notInSlices    = "a comparison has no use for it: leave it out"
)

// ABOptions is the table of ab: its own options, and those of a run that can be
// common to the arms.
func ABOptions() Table {
	all := abOwn()
	for _, o := range Options() {
		switch o.Name {
		case nRuntime:
			o.Default, o.Min, o.Max = defaultSlice, minSlice, int64(time.Hour)
			o.Help = "length of a slice, the measured window of one arm; also as 500ms or 2m"
		case nWarmup:
			o.Default = defaultSettle
			o.Help = "settle time: I/O at the beginning of each slice that is counted nowhere"
		case nSeed:
			o.Help = "seed of the order, and of the offsets: arms of a pair have the same"
			o.Unset = "a new one, printed"
		case nJSON:
			o.Help = "write the comparison with all its slices as JSON to a file, or to stdout"
		case nBench:
			o.Help = "write a line per slice in Go's benchmark format, for benchstat -col /arm, to a file or to stdout"
		case nNoCeiling:
			o.Help = "accepted without effect: slices have no ceiling"
		case nRepeat, nUntilSteady, nSteadyRound, nInterval:
			o.NotHere = "ab measures in slices: leave it out, and set their length with -r and their number with --pairs"
		case nStyle, nJSONL, nOpenMetrics, nHDR, nAssert:
			o.NotHere = notInSlices
		}
		all = append(all, o)
	}
	return all
}

// abOwn are the options that only ab has.
func abOwn() Table {
	const g = groupAB
	all := Table{}
	for i := range MaxArms {
		letter := string(rune('a' + i))
		help := "flags of arm " + letter + ", over the common ones, in quotes; '' for none"
		switch i {
		case 0:
			help = "flags of arm a, over the common ones, in quotes; without it a is the common ones alone"
		case 1:
			help = "flags of arm b; --c to --g for further arms, each compared with a"
		}
		all = append(all, Option{Name: letter, Kind: Flags, Unset: "none", Arg: "FLAGS", Group: g, Hidden: i > 1, Help: help})
	}
	for i := range MaxArms {
		letter := string(rune('a' + i))
		all = append(all, Option{
			Name: letter + binSuffix, Kind: Path, Unset: "this one", Arg: "PATH", Group: g, Hidden: i > 1,
			Help: "another ringpeak binary for arm " + letter,
		})
	}
	return append(all, Table{
		{
			Name: nAA, Kind: Bool, Default: "0", Group: g,
			Help: "compare the common flags with themselves: how far apart two arms come out that are the same",
		},
		{
			Name: nPairs, Kind: Integer, Default: defaultPairs, Arg: "N", Min: minPairs, Max: maxPairs, Group: g,
			Help: "how many times each arm is measured; with --precision at most, and then 200 unless given",
		},
		{
			Name: nPrecision, Kind: Fraction, Unset: "none", Arg: "P", Min: minPrecision, Max: maxPrecision, Group: g,
			Help: "stop when the 95 % interval is as narrow as ±P, as in 1%",
		},
		{
			Name: nSwitch, Kind: Text, Unset: "none", Arg: "COMMAND", Group: g,
			Help: "shell command before each slice, the arm's letter in $RINGPEAK_ARM, for what no flag reaches; needs --undo",
		},
		{
			Name: nUndo, Kind: Text, Unset: "none", Arg: "COMMAND", Group: g,
			Help: "shell command that puts back what --switch changed; it runs at the end, whatever ends the comparison",
		},
	}...)
}

// armOptions is the table of what an arm may have of its own.
func armOptions() Table {
	all, own := ABOptions(), len(abOwn())
	for i := range all {
		if i < own {
			all[i].NotHere = "it is the comparison's: give it beside the arms, not inside one"
			continue
		}
		switch o := &all[i]; o.Name {
		case nRuntime, nWarmup, nSeed:
			o.NotHere = "it is the same for all arms: give it beside --a and --b, not inside"
		case nJSON, nBench, nHelp, "version":
			o.NotHere = "it is none of an arm's: leave it out"
		}
	}
	return all
}

const abHelpTop = `Usage: ringpeak ab [option ...] target ... --a 'FLAGS' --b 'FLAGS'
       ringpeak ab [option ...] target ... --aa

Compares settings, binaries or kernel knobs on this machine, in short slices that take turns: each
pair measures all arms one after the other, in an order that is random and balanced, with rings
opened anew and the same offsets. The effect is the median of the pairs' ratios, with its 95 %
interval. What drifts, drifts for both.
`

const abHelpEnd = `
Exit status: 0 a difference, or none larger than the precision (1 % unless given); 5 inconclusive;
1 an arm failed or nothing was measured, 2 wrong command line, 3 refused for safety, 4 set-up
failed, 130 stopped by a second signal. Ctrl-C reports what there is.
`

// ABHelp is the help of ab.
func ABHelp() string { return ABOptions().help(abHelpTop, abHelpEnd) }

// parseFraction reads a part, 1% or 0.01, as millionths.
func parseFraction(s string) (int64, bool) {
	scale := 1e6
	digits, percent := strings.CutSuffix(s, "%")
	if percent {
		scale = 1e4
	}
	v, ok := parseDecimal(digits)
	if !ok || v*scale > math.MaxInt32 {
		return 0, false
	}
	return int64(math.Round(v * scale)), true
}
