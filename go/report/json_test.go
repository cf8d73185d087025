package report

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ringpeak/go/result"
)

func TestJSONRoundTrip(t *testing.T) {
	for name, r := range runs() {
		var w writes
		if err := WriteJSON(&w, r); err != nil {
			t.Fatal(err)
		}
		if len(w.got) != 1 {
			t.Errorf("%s: %d writes", name, len(w.got))
		}
		var got result.Result
		if err := json.Unmarshal([]byte(w.got[0]), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, &got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -written +read\n%s", name, diff)
		}
	}
}

func TestJSONGolden(t *testing.T) {
	r := signalRun()
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	compare(t, "testdata/signal.json", b.String())
}

// TestJSONEmpty: of an empty result every list is a list, and null is only
// what is unknown or was not asked for.
func TestJSONEmpty(t *testing.T) {
	r := &result.Result{
		Placements: []result.Placement{{}}, Intervals: []result.Interval{{}}, Targets: []result.Target{{}},
		Latency: &result.Latency{}, Histogram: &result.Histogram{}, Repeats: []result.Repeat{{Latency: &result.Latency{}}},
	}
	for _, path := range nilLists(reflect.ValueOf(*withLists(r)), "result") {
		t.Errorf("%s would be null", path)
	}
	r.Targets = nil
	if err := WriteJSON(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	if r.Targets != nil || r.Repeats[0].Checks != nil || r.Placements[0].Targets != nil || r.Intervals[0].InFlight != nil {
		t.Error("the caller's result changed")
	}
}

// nilLists are the paths of the nil slices in v that JSON would not leave out.
func nilLists(v reflect.Value, path string) []string {
	var found []string
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			found = nilLists(v.Elem(), path)
		}
	case reflect.Slice:
		if v.IsNil() {
			return []string{path}
		}
		for i := range v.Len() {
			found = append(found, nilLists(v.Index(i), path+"[]")...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !strings.Contains(f.Tag.Get("json"), ",omitempty") {
				found = append(found, nilLists(v.Field(i), path+"."+f.Name)...)
			}
		}
	}
	return found
}

// TestJSONUnits: a key of a size, a time or a rate says in what unit it is.
func TestJSONUnits(t *testing.T) {
	var b bytes.Buffer
	for _, r := range []*result.Result{latencyRun(), repeatsRun(), steadyRun()} {
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
	}
	unit := regexp.MustCompile(`_(ns|ms|bytes|kib|mean|median|min|max|stddev|percent|per_call|per_second|per_io|per_1000_ios|share)$`)
	named := regexp.MustCompile(`^(drift|range|slope|warmup|steady_round|round_|start|length|window|runtime|interval|sqpoll_idle|block_size|size|hole|mean|min|max|stddev|max_sectors|lowest|highest|span|run|user|system|wait_|steal|quota_throttled|cpu_|switches|cycles_|instructions_per_io)`)
	for _, m := range regexp.MustCompile(`"(\w+)": [0-9]`).FindAllStringSubmatch(b.String(), -1) {
		if key := m[1]; key != "intervals" && key != "max_errors" && key != "minor_faults" && named.MatchString(key) && !unit.MatchString(key) {
			t.Errorf("%q has no unit", key)
		}
	}
}

func TestJSONWholeOrAbsent(t *testing.T) {
	r := oneFileRun()
	r.Summary.IOPSMean = math.NaN()
	var w writes
	if err := WriteJSON(&w, r); err == nil || len(w.got) != 0 {
		t.Errorf("NaN: %v, wrote %q", err, w.got)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	if err := SaveJSON(path, r); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("NaN: %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
}

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	return got
}

func TestSaveJSON(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "r.json"), filepath.Join(dir, "latest")
	if err := os.Symlink("r.json", link); err != nil {
		t.Fatal(err)
	}
	r := oneFileRun()
	var want bytes.Buffer
	if err := WriteJSON(&want, r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path, link} {
		if err := SaveJSON(p, r); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %v, %d bytes", p, err, len(got))
		}
	}
	if diff := cmp.Diff([]string{"latest", "r.json"}, names(t, dir)); diff != "" {
		t.Errorf("the directory: -want +got\n%s", diff)
	}
	if to, err := os.Readlink(link); err != nil || to != "r.json" {
		t.Errorf("the link: %q, %v", to, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o400 == 0 || info.Mode().Perm()&0o111 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := SaveJSON("/dev/null", r); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("/dev/null is now %v, %v", info.Mode(), err)
	}
}

func TestSaveJSONFails(t *testing.T) {
	dir := t.TempDir()
	r := oneFileRun()
	for path, want := range map[string]string{
		filepath.Join(dir, "no", "such", "r.json"): "no such file or directory",
		dir:                          "is a directory",
		"/dev/full":                  "no space left on device",
		"/dev/ringpeak-no-such.json": "nothing is created under /dev",
		"/dev/mem":                   "it is a device",
		"/proc/version":              "",
	} {
		if _, err := os.Stat(path); path == "/dev/mem" && err != nil {
			t.Log("there is no /dev/mem here")
			continue
		}
		err := SaveJSON(path, r)
		if err == nil || !strings.HasPrefix(err.Error(), "write "+path+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if left := names(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
