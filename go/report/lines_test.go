package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

func linesOf(t *testing.T, r *result.Result) string {
	t.Helper()
	var w writes
	if err := follow(NewLines(&w), r); err != nil {
		t.Fatal(err)
	}
	if len(w.got) != len(r.Intervals)+2 {
		t.Errorf("%d writes for %d intervals", len(w.got), len(r.Intervals))
	}
	return strings.Join(w.got, "")
}

// assemble puts the lines of a run together.
func assemble(t *testing.T, text string) map[string]any {
	t.Helper()
	doc := map[string]any{}
	intervals := []any{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		want := "interval"
		switch i {
		case 0:
			want = "start"
		case len(lines) - 1:
			want = "end"
		}
		if o["type"] != want {
			t.Errorf("line %d is of type %v, want %s", i+1, o["type"], want)
		}
		delete(o, "type")
		if want == "interval" {
			intervals = append(intervals, o)
			continue
		}
		for k, v := range o {
			doc[k] = v
		}
	}
	doc["intervals"] = intervals
	return doc
}

// TestLinesAreTheDocument: put together, they are it, field by field.
func TestLinesAreTheDocument(t *testing.T) {
	for name, r := range runs() {
		var want map[string]any
		if err := json.Unmarshal([]byte(jsonOf(t, r)), &want); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, assemble(t, linesOf(t, r))); d != "" {
			t.Errorf("%s: -document +lines\n%s", name, d)
		}
	}
}

// TestLinesTellChanges: a field of the first line that changes later is in the
// last one again, and others are not.
func TestLinesTellChanges(t *testing.T) {
	r := oneFileRun()
	var b bytes.Buffer
	l := NewLines(&b)
	if err := l.Started(r); err != nil {
		t.Fatal(err)
	}
	r.Notes = append(r.Notes, result.Notef("late", "a note"))
	if err := l.Finished(r); err != nil {
		t.Fatal(err)
	}
	_, last, _ := strings.Cut(b.String(), "\n")
	if !strings.Contains(last, `"notes":[{"code":"late"`) || strings.Contains(last, `"spec":`) {
		t.Errorf("last line: %s", last)
	}
}

// TestLinesKeepQuiet: a line costs little while a run goes on, whose garbage
// nobody collects.
func TestLinesKeepQuiet(t *testing.T) {
	r := twoFilesRun()
	l := NewLines(io.Discard)
	if err := l.Started(r); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(200, func() { _ = l.Interval(r, &r.Intervals[0]) }); n > 2 {
		t.Errorf("%v allocations a line", n)
	}
}

// TestLinesNobodyReads: an error of a writer is returned again and again.
func TestLinesNobodyReads(t *testing.T) {
	r := oneFileRun()
	l := NewLines(failing{})
	for i, err := range []error{l.Started(r), l.Interval(r, &r.Intervals[0]), l.Finished(r)} {
		if err == nil || !errors.Is(err, syscall.EPIPE) || !strings.HasPrefix(err.Error(), "write lines: ") {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// TestLinesFile: a file is replaced when the run starts, and not before; each
// line is there when it was written.
func TestLinesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	content := func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	r := twoFilesRun()
	l := NewLinesFile(path)
	if content() != "old" {
		t.Error("it is gone before the run starts")
	}
	if err := l.Started(r); err != nil {
		t.Fatal(err)
	}
	for i := range r.Intervals {
		if n := strings.Count(content(), "\n"); n != 1+i {
			t.Errorf("%d lines before interval %d", n, i)
		}
		if err := l.Interval(r, &r.Intervals[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Finished(r); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(linesOf(t, r), content()); d != "" {
		t.Errorf("-writer +file\n%s", d)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if list := names(t, filepath.Dir(path)); len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestLinesFullDisk: the run goes on, whole lines stay, and it is said at the end.
func TestLinesFullDisk(t *testing.T) {
	r := oneFileRun()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := NewLinesFile(path)
	if err := l.Started(r); err != nil {
		t.Fatal(err)
	}
	if err := l.Interval(r, &r.Intervals[0]); err != nil {
		t.Fatal(err)
	}
	l.w = half{l.file}
	for i := range 2 {
		if err := l.Interval(r, &r.Intervals[i+1]); err != nil {
			t.Errorf("it ends the run: %v", err)
		}
	}
	err := l.Finished(r)
	want := "write " + path + ": no space left on device: its lines end with line 2, while the run went on"
	if err == nil || err.Error() != want || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want %s", err, want)
	}
	b, err := os.ReadFile(path)
	if err != nil || bytes.Count(b, []byte("\n")) != 2 || !bytes.HasSuffix(b, []byte("}\n")) {
		t.Errorf("%v, left:\n%s", err, b)
	}
}

// TestLinesFileMeddled: somebody empties the file while a run goes on, and what
// follows stands at its beginning; somebody removes it, and that is said.
func TestLinesFileMeddled(t *testing.T) {
	r := oneFileRun()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	l := NewLinesFile(path)
	if err := l.Started(r); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.Interval(r, &r.Intervals[0]); err != nil {
		t.Fatal(err)
	}
	l.w = half{l.file}
	if err := l.Interval(r, &r.Intervals[1]); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || bytes.Count(b, []byte("\n")) != 1 || !bytes.HasPrefix(b, []byte(`{"type":"interval"`)) || !bytes.HasSuffix(b, []byte("}\n")) {
		t.Errorf("%v, left:\n%s", err, b)
	}

	l = NewLinesFile(path)
	if err := l.Started(r); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.Interval(r, &r.Intervals[0]); err != nil {
		t.Errorf("it ends the run: %v", err)
	}
	if err := l.Finished(r); err == nil || err.Error() != "write "+path+": it was removed while the run went on" {
		t.Error(err)
	}
}

// half writes the first half and has no space for the rest.
type half struct{ w io.Writer }

func (h half) Write(p []byte) (int, error) {
	n, _ := h.w.Write(p[:len(p)/2])
	return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
}

func TestLinesFileFails(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "no", "a.jsonl"): "no such file or directory",
		dir:                                 "is a directory",
		"/dev/full":                         "no space left on device",
		"/dev/ringpeak-no-such":             "nothing is created under /dev",
	} {
		l := NewLinesFile(path)
		err := l.Started(oneFileRun())
		if err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
		if err := l.Finished(oneFileRun()); err != nil {
			t.Errorf("%s, which never began, ends with %v", path, err)
		}
	}
	l := NewLinesFile("/dev/null")
	if err := follow(l, oneFileRun()); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
}

// A warm-up has lines of a type of their own: it is not in the document.
func TestLinesOfWarmup(t *testing.T) {
	var b bytes.Buffer
	l := NewLines(&b)
	for _, warm := range []bool{true, false} {
		if err := l.Interval(nil, &result.Interval{Warmup: warm}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{`{"type":"warmup",`, `{"type":"interval",`} {
		if line := strings.Split(b.String(), "\n")[i]; !strings.HasPrefix(line, want) {
			t.Errorf("line %d: %s", i, line)
		}
	}
}
