package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/result"
)

func TestFioCommand(t *testing.T) {
	if got := fioCommand(nopRun()); got != nil {
		t.Errorf("fio has no NOP, got %v", got)
	}
	r := oneFileRun()
	r.Placements[0].CPU = 3
	got := strings.Join(fioCommand(r), " ")
	for _, want := range []string{
		"--rw=randread", "--ioengine=io_uring", "--iodepth=128", "--iodepth_batch_submit=32",
		"--cpus_allowed=3", "--filename=" + r.Targets[0].Path,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	r.Placements = make([]result.Placement, maxFioJobs+1)
	if got := fioCommand(r); got != nil {
		t.Errorf("%d submitters are spelled out: %v", len(r.Placements), got)
	}
}

// Whether fio takes the command is for fio to say.
func TestFioAcceptsCommand(t *testing.T) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Skip("fio is not installed")
	}
	dir := t.TempDir()
	for _, engine := range []result.EngineKind{result.EngineURing, result.EngineAIO, result.EnginePreadv2} {
		r := twoFilesRun()
		r.Spec.Engine = engine
		for i, name := range []string{"a:b c", "d"} {
			r.Targets[i].Path = filepath.Join(dir, name)
			if err := os.WriteFile(r.Targets[i].Path, make([]byte, 1<<20), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		line := strings.Join(append(fioCommand(r), "--parse-only"), " ")
		out, err := exec.Command("sh", "-c", strings.Replace(line, "fio", fio, 1)).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %s: %v\n%s", engine, line, err, out)
		}
	}
}
