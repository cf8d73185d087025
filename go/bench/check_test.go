package bench

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ringpeak/go/check"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

// What ran on the fake engine touched no device: the checks that read the
// target themselves say so.
func TestChecksOfARun(t *testing.T) {
	x := newRig(t, 2, 1) // a file of zeros, 16 blocks
	res, err := x.run()
	if err != nil {
		t.Fatal(err)
	}
	if c := checkOf(res, check.CodeSameData); c.State != result.CheckWarn || !strings.Contains(c.Text, "all 16 blocks") || !strings.Contains(c.Text, "zeros") {
		t.Errorf("%+v", c)
	}
	// It is opened for buffered reads, and no memory size is known.
	if c := checkOf(res, check.CodePageCache); c.State != result.CheckUnknown {
		t.Errorf("%+v", c)
	}
}

// A target that holds data: what was sampled differs.
func TestDifferentBlocks(t *testing.T) {
	x := newRig(t, 1, 1)
	data := make([]byte, 16*blockSize)
	for i := range data {
		data[i] = byte(i/blockSize + 1)
	}
	if err := os.WriteFile(x.Spec.Targets[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := x.run()
	if c := checkOf(res, check.CodeSameData); err != nil || c.State != result.CheckPass {
		t.Errorf("%+v, %v", c, err)
	}
}

// Nothing is read from a target after a run that ended badly.
func TestNoSamplesAfterAFailure(t *testing.T) {
	for name, script := range map[string]fake.Script{
		"an error": {IO: fake.FailAt(20, syscall.EIO)},
		"stuck":    {Stuck: 1},
	} {
		bubble(t, name, func(t *testing.T) {
			x := newRig(t, 1, 1)
			x.only(0, script)
			res, err := x.run()
			if c := checkOf(res, check.CodeSameData); err == nil || c.State != result.CheckUnknown || !strings.Contains(c.Text, "did not end well") {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}

// The sentence of a stuck drain says what is missing.
func TestAccountingOfAStuckDrain(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.only(0, fake.Script{Stuck: 2})
		res, _ := x.run()
		if c := checkOf(res, check.CodeAccounting); c.State != result.CheckFail || !strings.HasPrefix(c.Text, "2 I/Os never came back") {
			t.Errorf("%+v", c)
		}
	})
}

// The disk's counters are read before the first I/O and after the last one.
func TestCountersAreReadAround(t *testing.T) {
	x := newRig(t, 1, 1)
	x.Root = t.TempDir()
	stat := func(reads string) {
		path := filepath.Join(x.Root, "sys/class/block/sdx/stat")
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(reads+" 0 0 0 0 0 0 0 0 0 0\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
	r := &run{Options: x.Options, res: &result.Result{Targets: []result.Target{{Disk: "sdx"}}}, crew: &crew{}}
	stat("10")
	r.lookBefore()
	stat("25")
	r.lookAfter()
	if n := r.evidence.After["sdx"].Stat.Value.Sub(r.evidence.Before["sdx"].Stat.Value).Reads; n != 15 {
		t.Errorf("%d reads, want 15", n)
	}
}

func TestStrict(t *testing.T) {
	x := newRig(t, 1, 1)
	x.Spec.Strict = true
	res, err := x.run() // of zeros
	wantError(t, err, result.StatusIO, "--strict", check.CodeSameData)
	if res == nil || res.Summary.Total.Completed == 0 {
		t.Error("the result is lost")
	}
}
