package report

import (
	"io"

	"ringpeak/go/metric"
	"ringpeak/go/result"
)

// WriteABBench writes the slices of a comparison in Go's benchmark format, a
// line each, as far as their pairs were completed; results are those of its
// slices, by index. Settings in which arms differ are not in the names, which
// end in /arm=a and so on instead: for benchstat -col /arm.
func WriteABBench(w io.Writer, r *result.AB, results []*result.Result) error {
	return WriteBench(w, abRuns(r, results)...)
}

// SaveABBench is WriteABBench to path, as SaveJSON does.
func SaveABBench(path string, r *result.AB, results []*result.Result) error {
	return SaveBench(path, abRuns(r, results)...)
}

// abRuns are the arms.
func abRuns(r *result.AB, results []*result.Result) []BenchRun {
	var runs []BenchRun
	var of []*result.Result
	for i := range r.Arms {
		run := BenchRun{Extra: []string{"arm=" + r.Arms[i].Name}}
		for j := range r.Slices {
			s := &r.Slices[j]
			if s.Arm != r.Arms[i].Name || s.Discarded != "" {
				continue
			}
			if run.Result == nil {
				named := *results[j]
				named.Command, named.Started = r.Command, r.Started // not of a slice
				run.Result = &named
			}
			run.Samples = append(run.Samples, metric.Samples(results[j])...)
		}
		if run.Result != nil {
			runs, of = append(runs, run), append(of, run.Result)
		}
	}
	differ := DifferingSettings(of...)
	for i := range runs {
		runs[i].Without = differ
	}
	return runs
}
