package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/build/lab/plan"

	"github.com/google/go-cmp/cmp"
)

var testHeader = costHeader{kernel: "linux 6.12.1-1", compiler: "gcc 12", emulator: "QEMU 7.2"}

func rowOf(t *testing.T, name string) costRow {
	t.Helper()
	for _, r := range costRows {
		if r.name == name {
			return r
		}
	}
	t.Fatal("no row", name)
	return costRow{}
}

func TestKeptSurvives(t *testing.T) {
	m := newCostTable(testHeader)
	m.runs["nop-s1 ringpeak"] = []float64{881, 899, 880}
	m.runs["nop-s1 bare"] = []float64{791}
	m.runs["nop-s1 peer"] = []float64{1}
	m.runs["nvme-poll ringpeak"] = []float64{3000} // rough
	file := filepath.Join(t.TempDir(), "cost.txt")
	if err := writeKept(file, m); err != nil {
		t.Fatal(err)
	}
	k, err := readKept(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"nop-s1 ringpeak": 881, "nop-s1 bare": 791}
	if diff := cmp.Diff(want, k.figures); diff != "" || k.header != testHeader {
		t.Error(diff, k.header)
	}
}

func TestCommittedFigures(t *testing.T) {
	k, err := readKept("../cost.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range costRows {
		if k.figures[r.name+" "+ours] == 0 && !r.rough {
			t.Errorf("no figure is kept for %s: make cost UPDATE=1", r.name)
		}
	}
	if k.header.kernel == "" || k.header.compiler == "" || k.header.emulator == "" {
		t.Errorf("%+v", k.header)
	}
}

func TestKeptFileThatIsNone(t *testing.T) {
	for _, text := range []string{"nop-s1 882", "nop-s1 ringpeak x", "nop-s1 ringpeak 0", "a b c 1"} {
		if _, err := parseKept(strings.NewReader(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	if k, err := readKept(filepath.Join(t.TempDir(), "none")); err != nil || len(k.figures) != 0 {
		t.Error(k, err)
	}
}

func TestJudge(t *testing.T) {
	other := testHeader
	other.kernel = "linux 6.12.2-1"
	for _, c := range []struct {
		what, row    string
		now, bare    float64
		was, bareWas float64
		header       costHeader
		verdict      string
		grown        bool
	}{
		{"same", "nop-s32", 230, 225, 230, 225, testHeader, "ok", false},
		{"within the limit", "nop-s32", 234, 225, 230, 225, testHeader, "ok", false},
		{"beyond it", "nop-s32", 235, 225, 230, 225, testHeader, "GREW", true},
		{"less", "nop-s32", 220, 225, 230, 225, testHeader, "less", false},
		{"not kept", "nop-s32", 230, 225, 0, 0, testHeader, "new", false},
		{"gone", "null-poll", 0, 0, 3000, 0, testHeader, "GONE", true},
		{"neither kept nor measured", "null-poll", 0, 0, 0, 0, testHeader, "not measured", false},
		{"rough", "nvme-poll", 9000, 0, 0, 0, testHeader, "rough", false},
		{"slower kernel", "nop-s32", 460, 450, 230, 225, other, "ok, by the ratio", false},
		{"slower on another kernel", "nop-s32", 480, 450, 230, 225, other, "GREW, by the ratio", true},
		{"no ratio", "null-poll", 6000, 0, 3000, 0, other, "not judged", false},
	} {
		m := newCostTable(c.header)
		if c.now > 0 {
			m.runs[c.row+" "+ours] = []float64{c.now}
		}
		if c.bare > 0 {
			m.runs[c.row+" "+bare] = []float64{c.bare}
		}
		k := &kept{header: testHeader, figures: map[string]float64{}}
		if c.was > 0 {
			k.figures[c.row+" "+ours] = c.was
		}
		if c.bareWas > 0 {
			k.figures[c.row+" "+bare] = c.bareWas
		}
		_, verdict, grown := m.judge(rowOf(t, c.row), k)
		if !strings.HasPrefix(verdict, c.verdict) || grown != c.grown {
			t.Errorf("%s: %q, %v", c.what, verdict, grown)
		}
		var table bytes.Buffer
		wantGrown := 0
		if c.grown {
			wantGrown = 1
		}
		if got := m.print(&table, k); got != wantGrown || !strings.Contains(table.String(), verdict) {
			t.Errorf("%s: %d\n%s", c.what, got, table.String())
		}
	}
}

func TestTake(t *testing.T) {
	m := newCostTable(testHeader)
	for _, c := range []struct {
		row, program   string
		status         int
		stdout, stderr string
		want           []float64 // nil: an error
	}{
		{"nop-s1", ours, 0, `{"summary": {"iops_mean": 2e6}}`, "", []float64{500}},
		{"nop-s8", ours, 0, `{}`, "", nil},
		{"nop-s8", ours, 4, "", "open: no such file", nil},
		{"pass-poll", ours, 4, "", "not available in this version", nil},
		{"nop-s1", bare, 0, "1000000\n", "", []float64{1000}},
		{"nop-s8", bare, 0, "inf", "", nil},
		{"nop-s1", peer, 0, "x\nIOPS=1.00M, IOS/call=1/1\nIOPS=2.00M, IOS/call=1/1\nIOPS=250.00K, BW=1\n", "", []float64{500, 4000}},
		{"nop-s8", peer, 0, "IOPS=1.00M\n", "", []float64{}},
		{"nop-s8", peer, 1, "", "no", []float64{}},
	} {
		err := m.take(costJob{row: c.row, program: c.program}, plan.Event{Status: c.status}, c.stdout, c.stderr)
		if (err != nil) != (c.want == nil) {
			t.Errorf("%s %s: %v", c.row, c.program, err)
		}
		if got := m.runs[c.row+" "+c.program]; len(c.want) > 0 && !cmp.Equal(c.want, got) {
			t.Errorf("%s %s: %v", c.row, c.program, got)
		}
	}
	for text, good := range map[string]bool{"1.000100\n": true, "2.000100\n": false, "": false} {
		if err := m.take(costJob{program: calibration}, plan.Event{}, text, ""); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestExactMachine(t *testing.T) {
	m := exactMachine()
	if strings.Contains(m.kernelArgs, "poll_queues=2") {
		t.Error(m.kernelArgs)
	}
	names := map[string]bool{}
	for _, d := range m.devices {
		names[d.Name] = true
	}
	for _, r := range costRows {
		_, device, ok := strings.Cut(r.args, plan.Dir)
		if ok && !names[strings.TrimSuffix(device, "-char")] {
			t.Errorf("%s: the guest has no %s", r.name, device)
		}
	}
}
