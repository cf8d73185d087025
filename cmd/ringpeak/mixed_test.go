package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTargetsOfTwoKinds: a file whose reads complete at once does not keep the
// completions of another one on the same ring from being seen.
func TestTargetsOfTwoKinds(t *testing.T) {
	needMeasure(t)
	dir := directPlace(t)
	data := testFile(t, dir, "data", 8<<20)
	hole := filepath.Join(dir, "hole")
	if err := os.WriteFile(hole, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(hole, 8<<20); err != nil {
		t.Fatal(err)
	}
	json := filepath.Join(dir, "a.json")
	o := ringpeak(t, "-p0", "-r0.5", "--json", json, data, hole)
	if o.status != 0 {
		t.Fatalf("status %d: %s", o.status, o.stderr)
	}
	for i, c := range documentAt(t, json).PerTarget {
		if c.Completed == 0 {
			t.Errorf("nothing of target %d was seen to complete", i)
		}
	}
}
