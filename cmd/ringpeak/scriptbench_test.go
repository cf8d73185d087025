package main

import (
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/perf/benchfmt"

	"ringpeak/go/metric"
)

func init() { scriptCommands["benchfmt"] = checkBench }

// checkBench: what the format's reader makes of a file is what the samples of
// the document are.
func checkBench(ts *testscript.TestScript, neg bool, args []string) {
	arguments(ts, neg, args, 3)
	r := recordOf(ts, args[1])
	samples := metric.Samples(r)
	if n, err := strconv.Atoi(args[2]); err != nil || len(samples) != n {
		ts.Fatalf("the document has %d samples, not %s", len(samples), args[2])
	}
	reader := benchfmt.NewReader(strings.NewReader(ts.ReadFile(args[0])), args[0])
	names := map[string]bool{}
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			ts.Fatalf("%v", rec)
		case *benchfmt.Result:
			if len(samples) == 0 {
				ts.Fatalf("%s has more lines than the document has samples", args[0])
			}
			names[rec.Name.String()] = true
			checkBenchLine(ts, rec, &samples[0])
			samples = samples[1:]
		}
	}
	if reader.Err() != nil || len(samples) != 0 || len(names) > 1 {
		ts.Fatalf("%s: %v; %d samples have no line; names %v", args[0], reader.Err(), len(samples), names)
	}
}

func checkBenchLine(ts *testscript.TestScript, line *benchfmt.Result, s *metric.Sample) {
	if uint64(line.Iters) != s.Summary.Total.Completed {
		ts.Fatalf("%d iterations of %d I/Os", line.Iters, s.Summary.Total.Completed)
	}
	got := map[string]float64{}
	for _, v := range line.Values {
		if v.OrigUnit != "" {
			v.Unit, v.Value = v.OrigUnit, v.OrigValue
		}
		got[v.Unit] = v.Value
	}
	for _, m := range metric.All() {
		want, has := m.Value(s)
		if v, is := got[m.Go]; is != has || v != want {
			ts.Fatalf("%s is %v, the document has %v", m.Go, v, want)
		}
		delete(got, m.Go)
	}
	if len(got) > 0 {
		ts.Fatalf("%v is in no table", got)
	}
}
