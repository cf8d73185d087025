package config

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestHelpGolden: what people see of each command, in lines that fit.
func TestHelpGolden(t *testing.T) {
	for name, help := range map[string]string{"help": Help(), "help-ab": ABHelp(), "help-compare": CompareHelp()} {
		golden := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(help), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), help); d != "" {
			t.Errorf("go test ./go/config -update rewrites it (-want +got)\n%s", d)
		}
		for line := range strings.Lines(help) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
		if strings.Contains(help, "{{") {
			t.Errorf("%s would be taken for a template", name)
		}
	}
}

// TestHelpIsComplete finds every option with the default that the flags have.
func TestHelpIsComplete(t *testing.T) {
	joined := strings.Join(strings.Fields(Help()), " ")
	flags := map[string]string{} // defaults by name
	for _, f := range Options().Flags() {
		flags[f.Names()[0]] = f.(interface{ GetValue() string }).GetValue()
	}
	for _, o := range Options() {
		entry := strings.TrimSpace(helpLeft(&o)) + " " + o.Help
		if o.Kind != Action {
			if v, ok := flags[o.Name]; !ok || v != o.Default {
				t.Errorf("%s: flag %v with default %q, want %q", &o, ok, v, o.Default)
			}
			entry += " [" + o.DefaultText() + "]"
		}
		if !strings.Contains(joined, entry) {
			t.Errorf("the help lacks %q", entry)
		}
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Options() {
		for _, name := range []string{o.Name, o.Letter} {
			if name != "" && seen[name] {
				t.Errorf("%q is there twice", name)
			}
			seen[name] = true
		}
		if o.Default != "" {
			if _, err := o.parse(o.Default); err != nil {
				t.Errorf("bad default: %v", err)
			}
		} else if o.Kind != Action && o.Unset == "" {
			t.Errorf("%s does not say what no value means", &o)
		}
		if o.Kind != Action && o.Placeholder() == "" {
			t.Errorf("%s has no placeholder", &o)
		}
	}
}

// TestHelpThroughCLI: whatever else is on the line, the help comes whole.
func TestHelpThroughCLI(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"-?"}, {"--help"}, {"f", "-d3", "-h", "--nonsense"}} {
		argv, err := Options().Normalise(args)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		app := &cli.App{
			Name: "ringpeak", Version: "0", Flags: Options().Flags(), HideHelpCommand: true,
			CustomAppHelpTemplate: Help(), Writer: &out, ErrWriter: io.Discard,
		}
		if err := app.Run(append([]string{"ringpeak"}, argv...)); err != nil {
			t.Fatal(err)
		}
		if out.String() != Help() {
			t.Errorf("%q printed %q", args, out.String())
		}
	}
}
