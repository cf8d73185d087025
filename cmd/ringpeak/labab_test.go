package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
)

// TestLabAB compares polled reads with interrupt-driven ones of the same disk,
// in pairs: what each arm was is in the record, and nothing was lost.
func TestLabAB(t *testing.T) {
	if lab(t) < 601 {
		t.Skip("its null_blk has no poll queues")
	}
	file := filepath.Join(t.TempDir(), "ab.json")
	args := labArgs("ab -b512 -r100ms --warmup 20ms --pairs 6 null-poll --a -p0 --b -p1 -t1 --json " + file)
	o := finish(t, command(t, "ringpeak", args...))
	if o.status != 0 && o.status != result.StatusAssert || len(complaints(o.stderr)) > 0 {
		t.Fatalf("status %d: %s", o.status, o.stderr)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := schematest.ValidateAB(text); err != nil {
		t.Error(err)
	}
	var r result.AB
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if r.Pairs != 6 || len(r.Slices) != 12 || r.End.Status != o.status {
		t.Errorf("%d pairs, %d slices, %+v", r.Pairs, len(r.Slices), r.End)
	}
	for i, polled := range []bool{false, true} {
		if a := r.Arms[i]; a.Granted == nil || a.Granted.Polled != polled || len(a.Figures) < 4 {
			t.Errorf("arm %s: %+v", a.Name, a)
		}
	}
	for _, s := range r.Slices {
		if s.Values["iops"] <= 0 || s.Values["p99"] <= 0 || s.Discarded != "" {
			t.Errorf("%+v", s)
		}
	}
}
