package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"ringpeak/go/result"
)

func init() {
	scriptCommands["lines"] = checkLines
	scriptCommands["metrics"] = checkMetrics
	scriptCommands["hdrlog"] = checkHDRLog
}

// wholeLines are the objects in lines of --jsonl. The last may be missing, of
// a run that was killed, but none may be broken.
func wholeLines(text string) (lines []map[string]any, err error) {
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("the last line has no end: %.80q", text[strings.LastIndex(text, "\n")+1:])
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			return nil, fmt.Errorf("line %d: %w: %.80q", i+1, err, line)
		}
		switch typ := o["type"]; {
		case typ == "start" && i == 0, typ == "interval" && i > 0, typ == "end" && i > 0:
		default:
			return nil, fmt.Errorf("line %d is of type %v", i+1, typ)
		}
		lines = append(lines, o)
	}
	return lines, nil
}

// assembled puts lines together to a document.
func assembled(lines []map[string]any) map[string]any {
	doc := map[string]any{}
	intervals := []any{}
	for _, o := range lines {
		interval := o["type"] == "interval"
		delete(o, "type")
		if interval {
			intervals = append(intervals, o)
			continue
		}
		for k, v := range o {
			doc[k] = v
		}
	}
	doc["intervals"] = intervals
	return doc
}

// checkLines: put together, the lines are a valid document, and the one in the
// second file, if that is named.
func checkLines(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 1)
	lines, err := wholeLines(ts.ReadFile(args[0]))
	ts.Check(err)
	doc := assembled(lines)
	text, err := json.Marshal(doc)
	ts.Check(err)
	if _, err := document(text); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	if len(args) < 2 {
		return
	}
	var want map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &want))
	if !reflect.DeepEqual(want, doc) {
		ts.Fatalf("%s (-) is not %s (+):\n%s", args[1], args[0], cmp.Diff(want, doc))
	}
}

func recordOf(ts *testscript.TestScript, name string) *result.Result {
	r, err := document([]byte(ts.ReadFile(name)))
	ts.Check(err)
	return r
}

// checkMetrics: the file has the document's figures. Its format is for the
// tests of the package that writes it.
func checkMetrics(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	text, r := ts.ReadFile(args[0]), recordOf(ts, args[1])
	want := []string{fmt.Sprintf("\nringpeak_latency_seconds_count %d\n", r.Latency.Samples+r.Latency.OverRange), "\nringpeak_exit_status 0\n"}
	for i, c := range r.PerSubmitter {
		want = append(want, fmt.Sprintf("\nringpeak_ios_completed_total{submitter=\"%d\",cpu=\"%d\"} %d\n", i, r.Placements[i].CPU, c.Completed))
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			ts.Fatalf("%s lacks %q:\n%s", args[0], w, text)
		}
	}
	if !strings.HasSuffix(text, "\n# EOF\n") {
		ts.Fatalf("%s has no end", args[0])
	}
}

// checkHDRLog: what the library reads from the file is what the document says.
func checkHDRLog(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 2)
	r := recordOf(ts, args[1])
	h, err := hdrhistogram.NewHistogramLogReader(strings.NewReader(ts.ReadFile(args[0]))).NextIntervalHistogram()
	if err != nil || h == nil {
		ts.Fatalf("%s: %v, %v", args[0], h, err)
	}
	l := r.Latency
	if h.TotalCount() != int64(l.Samples) || h.Min() != l.MinNS || h.Max() != l.MaxNS {
		ts.Fatalf("%s: %d samples from %d to %d, the document has %+v", args[0], h.TotalCount(), h.Min(), h.Max(), l)
	}
	for _, p := range l.Percentiles {
		if got := h.ValueAtPercentile(p.Percent); got != p.NS {
			ts.Fatalf("%s: %v%% is %d, the document says %d", args[0], p.Percent, got, p.NS)
		}
	}
}
