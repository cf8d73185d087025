package config

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ringpeak/go/result"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                     nil,
		"  \t\n":               nil,
		"-p1 -B0":              {"-p1", "-B0"},
		` a  'b c' "d e"f\ g `: {"a", "b c", "d ef g"},
		`'' ""`:                {"", ""},
		`"a\"b\\c\d" 'x\y'`:    {`a"b\c\d`, `x\y`},
		"$HOME `ls` *":         {"$HOME", "`ls`", "*"},
	} {
		if got, err := Words(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{`'a`, `"a`, `a\`, `"a\"`} {
		if got, err := Words(text); err == nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestFraction(t *testing.T) {
	for text, want := range map[string]int64{"1%": 10000, "0.01": 10000, "0.5%": 5000, "50%": 500000, "1": 1000000, ".25%": 2500} {
		if got, ok := parseFraction(text); !ok || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "%", "-1%", "1 %", "x", "1e3", "1..2", "9999999999999999999"} {
		if got, ok := parseFraction(text); ok {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// parseAB is a command line of ab as cmd reads it.
func parseAB(args ...string) (req ABRequest, err error) {
	list, err := ABOptions().Normalise(args)
	if err != nil {
		return req, err
	}
	app := cli.App{
		Flags: ABOptions().Flags(), HideHelpCommand: true, ExitErrHandler: func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			req, err = ABFromContext(c, func() uint64 { return 77 })
			return err
		},
	}
	return req, app.Run(append([]string{"ringpeak"}, list...))
}

// TestArms: an arm is the common flags with its own over them, and its targets
// in the place of the common ones.
func TestArms(t *testing.T) {
	req, err := parseAB("-d64", "-s8", "f", "--a", "-s4", "--c=-p0 -B0 'g h'", "--seed", "5", "--pairs=30", "-r1", "--warmup", "0.2", "--json", "x", "--no-ceiling")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range req.Arms {
		got = append(got, a.Name+": "+strings.Join(a.Args, " "))
	}
	want := []string{
		"a: --depth=64 --submit-batch=8 --submit-batch=4 -- f",
		"c: --depth=64 --submit-batch=8 --polled=0 --fixed-buffers=0 -- g h",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if s := req.Arms[0].Spec; s.SubmitBatch != 4 || s.Depth != 64 {
		t.Errorf("%+v", s)
	}
	if s := req.Arms[1].Spec; s.SubmitBatch != 8 || s.FixedBuffers || s.Polled != result.ChoiceNo || s.Targets[0] != "g h" {
		t.Errorf("%+v", s)
	}
	p := req.Plan
	if p.Seed != 5 || p.Pairs != 30 || p.SliceNS != 1e9 || p.SettleNS != 2e8 || p.Precision != nil || req.JSON != "x" {
		t.Errorf("%+v", p)
	}
}

func TestABDefaults(t *testing.T) {
	for line, want := range map[string]string{
		"f --b -s1":                          "a b 20",
		"f --aa":                             "a b 20",
		"f --c -s1 --b -s2":                  "a b c 20",
		"f --g -s1":                          "a g 20",
		"f --b -s1 --precision 1%":           "a b 200",
		"f --b -s1 --precision 1% --pairs=9": "a b 9",
		"f --switch true --undo true":        "a b 20",
		"f --b-bin ./other":                  "a b 20",
	} {
		req, err := parseAB(strings.Fields(line)...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		var names []string
		for _, a := range req.Arms {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " ") + " " + strconv.Itoa(req.Plan.Pairs); got != want || req.Plan.Seed != 77 || req.Plan.SliceNS != 5e8 || req.Plan.SettleNS != 1e8 {
			t.Errorf("%s: %s, want %s, %+v", line, got, want, req.Plan)
		}
	}
}

// TestABNotes: what was probably not meant is said.
func TestABNotes(t *testing.T) {
	for line, want := range map[string]string{
		"f --b -s1":       "",
		"f --a -s32 --b=": "same-arms", // 32 is the default
		"f --b=":          "same-arms",
		"f --b=-d16 -d16": "same-arms",
		"f --b -s1 -r10":  "long-slices",
	} {
		req, err := parseAB(strings.Fields(line)...)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got := ""
		for _, n := range req.Notes {
			got += n.Code
		}
		if got != want {
			t.Errorf("%s: notes %q, want %q", line, got, want)
		}
	}
}

// TestOtherBinary: this binary does not judge another one's flags, and refuses
// its own all the same.
func TestOtherBinary(t *testing.T) {
	req, err := parseAB("-N1", "--b-bin", "./new", "--b", "--brand-new=3 -s1")
	if err != nil {
		t.Fatal(err)
	}
	if b := req.Arms[1]; b.Binary != "./new" || b.Spec != nil || !slices.Equal(b.Args, []string{"--nop=1", "--brand-new=3", "-s1"}) {
		t.Errorf("%+v", b)
	}
	if _, err := parseAB("-N1", "--b", "--brand-new=3"); err == nil || !strings.Contains(err.Error(), "arm b: there is no option --brand-new") {
		t.Error(err)
	}
}

// TestABHelp: it has every option that is not hidden or refused.
func TestABHelp(t *testing.T) {
	help := ABHelp()
	for _, o := range ABOptions() {
		shown := strings.Contains(help, "--"+o.Name+" "+o.Placeholder()) || strings.Contains(help, "--"+o.Name+"[") || strings.Contains(help, "--"+o.Name+"\n")
		if shown == (o.Hidden || o.NotHere != "") {
			t.Errorf("--%s is in the help: %v", o.Name, shown)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`-p1 'a b' "c\"d" e\ f`)
	f.Fuzz(func(t *testing.T, text string) {
		words, err := Words(text)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := Words(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(words, again) {
			t.Errorf("%q: %q, again %q, %v", text, words, again, err)
		}
	})
}
