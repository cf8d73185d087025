package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ringpeak/go/config"
)

func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../README.md")
	if os.IsNotExist(err) {
		t.Skip("there is no README.md yet")
	} else if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// runnable are the shell blocks of the README that are to be run: those after
// a line <!-- test -->.
var runnable = regexp.MustCompile("(?m)^<!-- test -->\n```(?:sh|console)\n((?s:.*?))^```$")

// The last lines of ringpeak compare, and of ringpeak ab.
var (
	comparedSentence = regexp.MustCompile(`(?m)^iops.* runs$`)
	abSentence       = regexp.MustCompile(`(?m)^[A-Za-z].* \d+ pairs; .* IOPS.*\.$`)
)

// TestReadmeCommands runs the README's examples as they stand there, from a
// directory in which build/out/ringpeak is this program.
func TestReadmeCommands(t *testing.T) {
	blocks := runnable.FindAllStringSubmatch(readme(t), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no block that is marked <!-- test -->")
	}
	needMeasure(t)
	program, err := exec.LookPath("ringpeak") // testscript has put it there
	if err != nil {
		t.Fatal(err)
	}
	dir := directPlace(t)
	if !takesDirect("/tmp") {
		t.Skip("/tmp, where the examples make their file, takes no O_DIRECT")
	}
	t.Cleanup(func() { // of examples that failed half-way
		left, _ := filepath.Glob("/tmp/ringpeak.example*")
		for _, f := range left {
			os.Remove(f)
		}
	})
	if err := os.MkdirAll(filepath.Join(dir, "build/out"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "build/out/ringpeak")); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if !strings.Contains(b[1], "build/out/ringpeak") {
			t.Errorf("nothing of ours in\n%s", b[1])
		}
		cmd := command(t, "sh", "-ec", b[1])
		cmd.Path, cmd.Dir = "/bin/sh", dir
		o := finish(t, cmd)
		if o.status != 0 || len(complaints(o.stderr)) > 0 {
			t.Errorf("status %d from\n%s\n%s", o.status, b[1], o.stderr)
		}
		compared, inPairs := strings.Count(b[1], "build/out/ringpeak compare "), strings.Count(b[1], "build/out/ringpeak ab ")
		if n := strings.Count(b[1], "build/out/ringpeak ") - compared - inPairs; strings.Count(o.stdout, "Maximum IOPS=") != n {
			t.Errorf("not %d results from\n%s\n%s", n, b[1], o.stdout)
		}
		if n := len(comparedSentence.FindAllString(o.stdout, -1)); n != compared {
			t.Errorf("%d comparisons and not %d from\n%s\n%s", n, compared, b[1], o.stdout)
		}
		if n := len(abSentence.FindAllString(o.stdout, -1)); n != inPairs {
			t.Errorf("%d comparisons in pairs and not %d from\n%s\n%s", n, inPairs, b[1], o.stdout)
		}
	}
}

// optionRow is a row of the README's table of options: | `-d`, `--depth` | 128 | …
var optionRow = regexp.MustCompile("(?m)^\\| (?:`-(.)`, )?`--([a-z0-9-]+)` \\|([^|]*)\\|")

// TestReadmeOptions: the table has every option with its default, and no other.
func TestReadmeOptions(t *testing.T) {
	var got, want []string
	for _, m := range optionRow.FindAllStringSubmatch(readme(t), -1) {
		got = append(got, "-"+m[1]+" --"+m[2]+" "+strings.TrimSpace(m[3]))
	}
	for _, o := range config.Options() {
		want = append(want, strings.TrimSpace("-"+o.Letter+" --"+o.Name+" "+o.DefaultText()))
	}
	has := map[string]bool{}
	for _, row := range got {
		has[strings.TrimSpace(row)] = true
	}
	for _, row := range want {
		if !has[row] {
			t.Errorf("the README's table lacks %q", row)
		}
		delete(has, row)
	}
	for row := range has {
		t.Errorf("the README's table has %q, the program has not", row)
	}
}
