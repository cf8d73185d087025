package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render gives the whole output of a run in a style.
func render(t *testing.T, style string, r *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	rep, err := New(&b, style)
	if err != nil {
		t.Fatal(err)
	}
	if err := follow(rep, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// follow makes the calls of one run.
func follow(rep Reporter, r *result.Result) error {
	if err := rep.Started(r); err != nil {
		return err
	}
	for i := range r.Intervals {
		if err := rep.Interval(r, &r.Intervals[i]); err != nil {
			return err
		}
	}
	return rep.Finished(r)
}

func TestGolden(t *testing.T) {
	for name, r := range runs() {
		for _, style := range Styles() {
			t.Run(name+"/"+style, func(t *testing.T) {
				compare(t, filepath.Join("testdata", name+"."+style+".txt"), render(t, style, r))
			})
		}
	}
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: -want +got (rewrite with -update)\n%s", path, diff)
	}
}

// TestPageWidth: the native text stays on the page, and no style leaves blanks
// at the end of a line.
func TestPageWidth(t *testing.T) {
	for name, r := range runs() {
		for _, style := range Styles() {
			for _, line := range strings.Split(render(t, style, r), "\n") {
				if style == StyleNative && len(line) > pageWidth {
					t.Errorf("%s: %d columns: %s", name, len(line), line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s, %s: blanks at the end of %q", name, style, line)
				}
			}
		}
	}
}
