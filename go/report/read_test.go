package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
)

// TestDocumentsAreValid: every document is as the schema says.
func TestDocumentsAreValid(t *testing.T) {
	for name, r := range runs() {
		if err := schematest.Validate([]byte(jsonOf(t, r))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	golden, err := filepath.Glob("testdata/*.json")
	if err != nil || len(golden) == 0 {
		t.Fatal("no golden documents: ", err)
	}
	for _, path := range golden {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Validate(b); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func jsonOf(t *testing.T, r *result.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadDocument(t *testing.T) {
	for name, r := range runs() {
		got, err := ReadDocument(strings.NewReader(jsonOf(t, r)), "a.json")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(r, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: -written +read\n%s", name, d)
		}
	}
}

// TestReadOlder reads documents of tools from before some of the fields.
func TestReadOlder(t *testing.T) {
	old, _ := filepath.Glob("../result/testdata/old/1-*.json")
	if len(old) == 0 {
		t.Fatal("no older documents")
	}
	for _, path := range old {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadDocument(f, path)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary.IOPSMean <= 0 || len(r.Intervals) != int((r.Spec.RuntimeNS+r.Spec.IntervalNS-1)/r.Spec.IntervalNS) || len(r.Checks) == 0 {
			t.Errorf("%s: %+v", path, r.Summary)
		}
		if d := cmp.Diff(result.Environment{}, r.System.Environment); d != "" {
			t.Errorf("%s: what it does not tell is known: %s", path, d)
		}
		if r.Latency != nil && (r.Histogram == nil || r.Latency.Percentiles[0].NS <= 0) {
			t.Errorf("%s: %+v", path, r.Latency)
		}
	}
}

func TestReadDocumentRefuses(t *testing.T) {
	doc := jsonOf(t, signalRun())
	lines := linesOf(t, signalRun())
	for what, c := range map[string]struct{ text, want string }{
		"empty":           {"", "a.json is empty"},
		"blank":           {" \n", "a.json is empty"},
		"truncated":       {doc[:len(doc)/2], "ends in the middle"},
		"cut at the end":  {doc[:len(doc)-3], "ends in the middle"},
		"other JSON":      {`{"a": 1}`, "it names no schema"},
		"half other JSON": {`{"a": 1`, "it is not JSON"},
		"a list":          {"[]", "it is not JSON"},
		"text":            {"IOPS=1", "it is not JSON"},
		"another version": {strings.Replace(doc, "result/1", "result/2", 1), "is of schema ringpeak.result/2, and this ringpeak reads ringpeak.result/1"},
		"a number":        {`{"schema": 1}`, "is of schema 1,"},
		"twice":           {doc + doc, "more than one document"},
		"lines":           {lines, "holds the lines of --jsonl"},
		"a type":          {strings.Replace(doc, `"depth": 128`, `"depth": "many"`, 1), "no valid result of ringpeak: json: "},
		"nothing in it":   {`{"schema": "ringpeak.result/1"}`, "does not say what was measured"},
	} {
		_, err := ReadDocument(strings.NewReader(c.text), "a.json")
		var e *result.Error
		if !errors.As(err, &e) || e.Status != result.StatusUsage || !strings.Contains(e.Text, c.want) || !strings.HasPrefix(e.Text, "a.json ") {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	_, err := ReadDocument(io.MultiReader(strings.NewReader("{"), broken{}), "a.json")
	var e *result.Error
	if !errors.As(err, &e) || e.Status != result.StatusIO || e.Text != "read a.json: out of order" {
		t.Errorf("unreadable: %v", err)
	}
	// Fields of the future are passed over.
	later := strings.Replace(doc, `"depth": 128`, `"depth": 128, "later": {"a": [1]}`, 1)
	if _, err := ReadDocument(strings.NewReader(later), "a.json"); err != nil {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("out of order") }

// TestOursAreKnown: a file of each kind is told from the others and from what
// is none of ours.
func TestOursAreKnown(t *testing.T) {
	r := latencyRun()
	var hdr, metrics, bench bytes.Buffer
	if err := errors.Join(WriteHDRLog(&hdr, r), WriteOpenMetrics(&metrics, r), WriteBenchRun(&bench, r)); err != nil {
		t.Fatal(err)
	}
	is := []func([]byte) bool{IsDocument, IsLines, IsHDRLog, IsOpenMetrics, IsBench}
	texts := []string{
		jsonOf(t, r), linesOf(t, r), hdr.String(), metrics.String(), bench.String(),
		"", "{}", `{"type":"start"}`, "#[Histogram log format version 1.3]\n", "# HELP node_load1 1m.\n", "\x00\x01",
	}
	for i, text := range texts {
		for j, f := range is {
			if got := f([]byte(text)); got != (i == j) {
				t.Errorf("kind %d, text %d: %v", j, i, got)
			}
		}
	}
}
