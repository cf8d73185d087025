package report

import (
	"bytes"
	"encoding/csv"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// benchstat runs the one of go.mod on files; there is none where Go is not.
func benchstat(t *testing.T, args ...string) string {
	t.Helper()
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go here to run benchstat with")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(goCommand, append([]string{"tool", "benchstat"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("benchstat %q: %v\n%s", args, err, &stderr)
	}
	return stdout.String()
}

// benchRow is one row of a table of benchstat.
type benchRow struct {
	unit, name    string
	before, after float64
	delta, p      string
}

// benchRows reads what benchstat -format csv prints of two columns: a table
// per unit, of name, value and ± for each column, delta and P.
func benchRows(t *testing.T, text string) (rows []benchRow) {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord = -1
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	unit := ""
	for _, rec := range records {
		switch {
		case len(rec) > 1 && rec[0] == "" && rec[1] != "" && strings.Contains(strings.Join(rec, ","), "CI"):
			unit = rec[1]
		case len(rec) >= 7 && rec[0] != "" && rec[0] != "geomean":
			row := benchRow{unit: unit, name: rec[0], delta: rec[5], p: rec[6]}
			for i, v := range []*float64{&row.before, &row.after} {
				if *v, err = strconv.ParseFloat(rec[1+2*i], 64); err != nil {
					t.Fatalf("%q: %v", rec, err)
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func saveBench(t *testing.T, dir, name string, runs ...BenchRun) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := SaveBench(path, runs...); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkFaster checks that all figures are compared in one row each, and that
// they say what a rate that is higher by about a factor means.
func checkFaster(t *testing.T, text, name string, factor float64) {
	t.Helper()
	rows := benchRows(t, text)
	want := map[string]bool{ // tidied: how a higher rate changes it
		"IOPS": true, "B/s": true, "p50-sec": false, "p99-sec": false, "p99.9-sec": false,
		"cpu-sec/IO": false, "system-sec/IO": false, "instructions/IO": false, "cycles/IO": false,
	}
	for _, r := range rows {
		rises, known := want[r.unit]
		if !known || r.name != name {
			t.Errorf("%+v is not asked for, or twice there", r)
			continue
		}
		delete(want, r.unit)
		sign, ratio := "+", factor
		if !rises {
			sign, ratio = "-", 1/factor
		}
		if got := r.after / r.before; got < ratio*0.99 || got > ratio*1.01 {
			t.Errorf("%s: from %v to %v, want a ratio of %v", r.unit, r.before, r.after, ratio)
		}
		if !strings.HasPrefix(r.delta, sign) || r.p != "p=0.000 n=10" {
			t.Errorf("%s: %s, %s", r.unit, r.delta, r.p)
		}
	}
	if len(want) > 0 {
		t.Errorf("no row for %v in\n%s", want, text)
	}
}

const benchNameUsual = "Read/target=nvme1n1/bs=512/depth=128/submit=32/complete=32/submitters=1/latency=1/fixedbufs=1"

// TestBenchstatOldNew: two files, of before and after another kernel, are
// compared without any option.
func TestBenchstatOldNew(t *testing.T) {
	dir := t.TempDir()
	old := sampledRun(noisy(10, 5.8e6, 0.005, 1)...)
	after := sampledRun(noisy(10, 6.1e6, 0.005, 2)...)
	after.System.Kernel, after.Started, after.Tool.Commit = "7.0.1", "2026-09-01T12:00:00Z", "another"
	a, b := saveBench(t, dir, "old.txt", benchRun(old)), saveBench(t, dir, "new.txt", benchRun(after))
	checkFaster(t, benchstat(t, "-format", "csv", a, b), benchNameUsual+"/polled=1", 6.1/5.8)

	text := benchstat(t, "old="+a, "new="+b)
	for _, want := range []string{"goarch: amd64", "cpu: AMD EPYC 7763 64-Core Processor", "drive: INTEL SSDPF21Q800GB", " IOPS ", "5.8", "M ± 0%", "Gi ± 0%", "n ± 0%", "(p=0.000 n=10)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "missing") || strings.Contains(text, "kernel") {
		t.Errorf("not made for people\n%s", text)
	}
	// The same against itself: nothing.
	if text := benchstat(t, a, a); strings.Count(text, "~ (p=1.000 n=10)") != 9 {
		t.Errorf("against itself\n%s", text)
	}
	// Other work is not compared.
	other := sampledRun(noisy(10, 6e6, 0.005, 3)...)
	other.Spec.Depth = 32
	if text := benchstat(t, a, saveBench(t, dir, "other.txt", benchRun(other))); strings.Contains(text, "p=") || !strings.Contains(text, "/depth=32/") {
		t.Errorf("of another depth\n%s", text)
	}
}

// TestBenchstatColumns: settings in one file become columns and rows.
func TestBenchstatColumns(t *testing.T) {
	dir := t.TempDir()
	var runs []BenchRun
	for i, polled := range []bool{false, true} {
		r := sampledRun(noisy(10, []float64{4e6, 5e6}[i], 0.005, uint64(i))...)
		r.Granted.Polled = polled
		runs = append(runs, benchRun(r))
	}
	path := saveBench(t, dir, "both.txt", runs...)
	checkFaster(t, benchstat(t, "-format", "csv", "-col", "/polled", path), benchNameUsual, 1.25)
	checkFaster(t, benchstat(t, "-format", "csv", "-col", "/polled", "-row", "/depth", path), "128", 1.25)

	// Arms of which one is another with a flag: as they are, by the arm.
	differ := DifferingSettings(runs[0].Result, runs[1].Result)
	for i, arm := range []string{"arm=a", "arm=b"} {
		runs[i].Without, runs[i].Extra = differ, []string{arm}
	}
	checkFaster(t, benchstat(t, "-format", "csv", "-col", "/arm", saveBench(t, dir, "arms.txt", runs...)), benchNameUsual, 1.25)
}

// TestBenchstatCPUs: a list of CPUs is no number of them.
func TestBenchstatCPUs(t *testing.T) {
	r := sampledRun(noisy(10, 5e6, 0.005, 1)...)
	r.Spec.CPUs, r.Spec.Op, r.Targets, r.Spec.Targets = "0-3", result.OpNop, nil, nil
	path := saveBench(t, t.TempDir(), "nop.txt", benchRun(r))
	text := benchstat(t, "-format", "csv", "-row", "/cpus", "-col", "/gomaxprocs", path)
	if !strings.Contains(text, "\n0-3,") {
		t.Errorf("%s", text)
	}
}
