package cpio

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type item struct {
	Name         string
	Mode         uint32
	Major, Minor uint32
	Data         string
}

// parse reads an archive by the description of the format, independently of the writer.
func parse(t *testing.T, b []byte) []item {
	t.Helper()
	var items []item
	for pos := 0; ; {
		if pos+110 > len(b) || string(b[pos:pos+6]) != "070701" {
			t.Fatalf("no header at %d", pos)
		}
		field := func(i int) uint32 {
			n, err := strconv.ParseUint(string(b[pos+6+8*i:pos+14+8*i]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return uint32(n)
		}
		nameEnd := pos + 110 + int(field(11)) - 1
		it := item{Name: string(b[pos+110 : nameEnd]), Mode: field(1), Major: field(9), Minor: field(10)}
		data := (nameEnd + 1 + 3) &^ 3
		it.Data = string(b[data : data+int(field(6))])
		if it.Name == "TRAILER!!!" {
			return items
		}
		items = append(items, it)
		pos = (data + int(field(6)) + 3) &^ 3
	}
}

func sample(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, err := range []error{
		w.File("/init", 0o755, []byte("x")),
		w.File("a/b/four", 0o644, []byte("1234")),
		w.File("a/b/five", 0o644, []byte("12345")),
		w.Dir("a/b"),
		w.Dir("empty"),
		w.Link("a/link", "b/four"),
		w.Char("dev/console", 0o600, 5, 1),
		w.Close(),
		w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestEntriesSurvive(t *testing.T) {
	want := []item{
		{Name: "init", Mode: 0o100755, Data: "x"},
		{Name: "a", Mode: 0o040755},
		{Name: "a/b", Mode: 0o040755},
		{Name: "a/b/four", Mode: 0o100644, Data: "1234"},
		{Name: "a/b/five", Mode: 0o100644, Data: "12345"},
		{Name: "empty", Mode: 0o040755},
		{Name: "a/link", Mode: 0o120777, Data: "b/four"},
		{Name: "dev", Mode: 0o040755},
		{Name: "dev/console", Mode: 0o020600, Major: 5, Minor: 1},
	}
	if diff := cmp.Diff(want, parse(t, sample(t))); diff != "" {
		t.Error(diff)
	}
}

func TestCpioReadsIt(t *testing.T) {
	bin, err := exec.LookPath("cpio")
	if err != nil {
		t.Skip("cpio is not installed; the format is checked by TestEntriesSurvive")
	}
	cmd := exec.Command(bin, "-it", "--quiet")
	cmd.Stdin = bytes.NewReader(sample(t))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "a/b/five\n") {
		t.Errorf("cpio: %v\n%s", err, out)
	}
}

func TestRefused(t *testing.T) {
	w := NewWriter(&bytes.Buffer{})
	if err := w.File("a", 0o644, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "/", "TRAILER!!!", "a", "./a"} {
		if w.File(name, 0o644, nil) == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	f.left -= len(p)
	if f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("full")

func TestWriteErrorsAreKept(t *testing.T) {
	for left := range 300 {
		w := NewWriter(&failing{left})
		_ = w.File("a/b", 0o644, []byte("data"))
		if err := w.Close(); !errors.Is(err, errFull) {
			t.Fatal(fmt.Errorf("after %d bytes: %w", left, err))
		}
	}
}
