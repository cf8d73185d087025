package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// TestDocumentCanFail spoils a valid document in one place at a time: each
// must be found, or the tests that rely on document prove nothing.
func TestDocumentCanFail(t *testing.T) {
	needMeasure(t)
	o := ringpeak(t, "-N1", "-n2", "-t1", "-r0.1", "--interval=50ms", "--assert", "errors==0", "--json", "-")
	_, err := document([]byte(o.stdout))
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string]func(r *result.Result){
		"schema":              func(r *result.Result) { r.Schema = "ringpeak.result/0" },
		"interval sum":        func(r *result.Result) { r.Intervals[0].Total.Completed++ },
		"summary sum":         func(r *result.Result) { r.Summary.Total.Submitted++ },
		"per submitter":       func(r *result.Result) { r.PerSubmitter[1].Calls++ },
		"bytes of no-ops":     func(r *result.Result) { r.Summary.Total.Bytes = 1 },
		"in-flight list":      func(r *result.Result) { r.Intervals[0].InFlight = nil },
		"in flight":           func(r *result.Result) { r.Intervals[0].InFlight[0] = 1000 },
		"gap":                 func(r *result.Result) { r.Intervals[1].StartNS++ },
		"empty interval":      func(r *result.Result) { r.Intervals[1].LengthNS = 0 },
		"interval missing":    func(r *result.Result) { r.Intervals = r.Intervals[:1] },
		"window":              func(r *result.Result) { r.Summary.WindowNS-- },
		"rate":                func(r *result.Result) { r.Summary.IOPSMean *= 1.01 },
		"median":              func(r *result.Result) { r.Summary.IOPSMedian = r.Summary.IOPSMax + 1 },
		"placement":           func(r *result.Result) { r.Placements[0].TID = 0 },
		"CPU":                 func(r *result.Result) { r.Placements[0].CPU = 100000 },
		"status":              func(r *result.Result) { r.End.Status = 1 },
		"not drained":         func(r *result.Result) { r.End.Drained = false },
		"error in the list":   func(r *result.Result) { r.Errors = []result.ErrorCount{{Count: 1}} },
		"failed check":        func(r *result.Result) { r.Checks[0].State = result.CheckFail },
		"histogram":           func(r *result.Result) { r.Histogram = nil },
		"clock":               func(r *result.Result) { r.Clock.Source = "sundial" },
		"clock not read":      func(r *result.Result) { r.Clock.ReadNS = nil },
		"time split":          func(r *result.Result) { r.TimeSplit.EnterNSPerIO = 0 },
		"target of no-ops":    func(r *result.Result) { r.PerTarget = append(r.PerTarget, result.TargetCounters{}) },
		"percentiles":         func(r *result.Result) { r.Latency.Percentiles[3].NS = 0 },
		"outcome missing":     func(r *result.Result) { r.Assertions = nil },
		"other outcome":       func(r *result.Result) { r.Assertions[0].Text = "errors!=0" },
		"failed assertion":    func(r *result.Result) { r.Assertions[0].Passed = false },
		"passed, not known":   func(r *result.Result) { r.Assertions[0].Value = nil },
		"a ceiling of NOPs":   func(r *result.Result) { r.Ceiling = &result.Ceiling{Reason: "none"} },
		"ceiling missing":     func(r *result.Result) { r.Spec.Ceiling = true },
		"failed, not counted": func(r *result.Result) { r.Summary.Total.Failed, r.Errors = 1, nil },
	}
	maps.Copy(ways, spoiledUsage)
	for name, spoil := range ways {
		var bad result.Result
		if err := json.Unmarshal([]byte(o.stdout), &bad); err != nil {
			t.Fatal(err)
		}
		spoil(&bad)
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(&bad); err != nil {
			t.Fatal(err)
		}
		if _, err := document(b.Bytes()); err == nil {
			t.Errorf("%s: not found", name)
		}
	}
	if _, err := document([]byte(o.stdout + "{}")); err == nil {
		t.Error("a second document: not found")
	}
	if _, err := document([]byte(strings.Replace(o.stdout, `"schema"`, `"skema"`, 1))); err == nil {
		t.Error("an unknown field: not found")
	}
}

// TestTargetsCanFail does the same for the counters by target.
func TestTargetsCanFail(t *testing.T) {
	needMeasure(t)
	dir, direct := place(t)
	f, g := testFile(t, dir, "f", 1<<20), testFile(t, dir, "g", 1<<20)
	args := []string{"-n2", "-p0", "-r0.1", "--interval=50ms", "--json", "-", f, g}
	if !direct {
		args = append(args, "-O0")
	}
	o := ringpeak(t, args...)
	if _, err := document([]byte(o.stdout)); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(r *result.Result){
		"interval":      func(r *result.Result) { r.Intervals[0].Targets[1].Completed++ },
		"window":        func(r *result.Result) { r.PerTarget[0].Completed-- },
		"failed":        func(r *result.Result) { r.PerTarget[0].Failed++ },
		"bytes":         func(r *result.Result) { r.PerTarget[1].Bytes += 4096 },
		"one is absent": func(r *result.Result) { r.PerTarget = r.PerTarget[:1] },
	} {
		var bad result.Result
		if err := json.Unmarshal([]byte(o.stdout), &bad); err != nil {
			t.Fatal(err)
		}
		spoil(&bad)
		b, err := json.Marshal(&bad)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := document(b); err == nil {
			t.Errorf("%s: not found", name)
		}
	}
}
