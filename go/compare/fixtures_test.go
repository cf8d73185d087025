package compare

import (
	"encoding/json"
	"fmt"
	"testing"

	"ringpeak/go/result"
)

var serial int64 // of documents: no two are the same run

// doc makes a document of repeats with these rates; change is made to it first.
func doc(t *testing.T, change func(r *result.Result), iops ...float64) Document {
	t.Helper()
	serial++
	r := &result.Result{
		Schema:  result.SchemaVersion,
		Tool:    result.Tool{Version: "0.1.0", Commit: "abc"},
		Started: fmt.Sprintf("2026-12-01T00:%02d:%02dZ", serial/60%60, serial%60),
		System: result.System{
			Kernel: "6.1.0", Cmdline: "root=/dev/vda1 quiet", Clocksource: "tsc", MemAvailable: serial,
			Environment: result.Environment{Mitigations: map[string]string{"meltdown": "Not affected"}},
		},
		Spec: result.Spec{
			Engine: result.EngineURing, Op: result.OpRead, Targets: []string{"/dev/nvme0n1"}, Depth: 128, SubmitBatch: 32, CompleteBatch: 32,
			BlockSize: 4096, Threads: 1, Random: true, Seed: uint64(serial), Polled: result.ChoiceNo, Repeat: len(iops),
		},
		Targets:    []result.Target{{Path: "/dev/nvme0n1", SizeBytes: 1 << 30, Model: "A", Scheduler: "none"}},
		Placements: []result.Placement{{TID: int(serial), CPU: 0}},
		Granted:    result.Granted{SetupFlags: []string{"COOP_TASKRUN"}},
		Summary:    result.Summary{WindowNS: 1e9},
		End:        result.End{Reason: "time"},
	}
	for i, v := range iops {
		s := result.Summary{WindowNS: 1e9, IOPSMean: v, BytesPerSecond: v * 4096}
		r.Repeats = append(r.Repeats, result.Repeat{Number: i + 1, Reason: "time", Summary: s})
	}
	if len(iops) == 1 {
		r.Summary, r.Repeats = r.Repeats[0].Summary, nil
	}
	if change != nil {
		change(r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return Document{Name: fmt.Sprintf("%d.json", serial), Text: text, Result: r}
}

func old(t *testing.T, change func(*result.Result)) Document {
	return doc(t, change, 100, 101, 102, 103, 104, 105)
}

// faster is 10 % above old.
func faster(t *testing.T, change func(*result.Result)) Document {
	return doc(t, change, 110, 111.1, 112.2, 113.3, 114.4, 115.5)
}

func must(t *testing.T, o Options) *result.Comparison {
	t.Helper()
	c, err := Sides(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func condition(t *testing.T, text string) Condition {
	t.Helper()
	c, err := ParseCondition(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func depth(n int) func(*result.Result) { return func(r *result.Result) { r.Spec.Depth = n } }
