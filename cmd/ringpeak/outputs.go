package main

import (
	"io"
	"os"
	"path/filepath"

	"ringpeak/go/bench"
	"ringpeak/go/config"
	"ringpeak/go/report"
	"ringpeak/go/result"
)

// output is a file that a run is written to.
type output struct {
	option string
	path   string
	sort   string                     // what is said of the kind of file, in a message
	ours   func([]byte) bool          // says of the beginning of a file that it is an older one
	save   func(*result.Result) error // nil for what is written in another way
}

// outputs are those that were asked for and are files, in the order in which
// they are written.
func outputs(o *config.Outputs) (list []output) {
	for _, out := range []output{
		{option: "--json", path: o.JSON, ours: report.IsDocument},
		{option: "--jsonl", path: o.JSONL, sort: " in lines", ours: report.IsLines},
		{option: "--hdr", path: o.HDR, sort: " for --hdr", ours: report.IsHDRLog, save: func(r *result.Result) error { return report.SaveHDRLog(o.HDR, r) }},
		{option: "--openmetrics", path: o.OpenMetrics, sort: " for --openmetrics", ours: report.IsOpenMetrics, save: func(r *result.Result) error { return report.SaveOpenMetrics(o.OpenMetrics, r) }},
		{option: "--benchfmt", path: o.Bench, sort: " for --benchfmt", ours: report.IsBench, save: func(r *result.Result) error { return report.SaveBenchRun(o.Bench, r) }},
	} {
		if out.path != "" && out.path != "-" {
			list = append(list, out)
		}
	}
	return list
}

// checkOutputs looks, before a run that may be long, whether everything can be
// put where it shall go.
func checkOutputs(o *config.Outputs, targets []string) error {
	list := outputs(o)
	for i := range list {
		if err := list[i].check(targets); err != nil {
			return err
		}
		for j := range list[:i] {
			if sameFile(list[i].path, list[j].path) {
				return result.Errorf(result.StatusUsage, "%s and %s are the same file, %s: name two", list[j].option, list[i].option, list[i].path)
			}
		}
	}
	return nil
}

// sameFile says whether two names are of one file, which need not be there
// yet. Of /dev/null and pipes there can be more than one writer.
func sameFile(a, b string) bool {
	sa, erra := os.Stat(a)
	sb, errb := os.Stat(b)
	if erra == nil && errb == nil {
		return os.SameFile(sa, sb) && sa.Mode().IsRegular()
	}
	return erra != nil && errb != nil && whole(a) == whole(b)
}

// whole is a path without links in its folder.
func whole(path string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Join(dir, filepath.Base(path))
}

// follower is what hears of a run while it goes on and when it is over.
type follower interface {
	bench.Observer
	Finished(r *result.Result) error
}

// lines makes what writes --jsonl; nil when it was not asked for.
func lines(path string, stdout io.Writer) follower {
	switch path {
	case "":
		return nil
	case "-":
		return report.NewLines(stdout)
	}
	return report.NewLinesFile(path)
}

// saveAll writes everything that a run leaves, each whatever becomes of the
// others, and returns what went wrong, if anything: nil for what did not. The
// document comes last, so that its end knows of the others.
func saveAll(o *config.Outputs, res *result.Result, lines follower, stdout io.Writer) (errs []error) {
	did := func(err error) {
		if err = broken(err); err != nil {
			errs = append(errs, err)
			unsaved(&res.End, err)
		}
	}
	list := outputs(o)
	for i := range list {
		if save := list[i].save; save != nil {
			did(save(res))
		}
	}
	if o.Bench == "-" {
		did(report.WriteBenchRun(stdout, res))
	}
	if lines != nil {
		did(lines.Finished(res))
	}
	switch o.JSON {
	case "":
	case "-":
		did(report.WriteJSON(stdout, res))
	default:
		did(report.SaveJSON(o.JSON, res))
	}
	return errs
}

// unsaved makes the end of a run one with a result that could not be written,
// unless it is one with an error of its own.
func unsaved(end *result.End, err error) {
	if end.Status == result.StatusOK || end.Status == result.StatusAssert {
		end.Status, end.Error = result.StatusIO, err.Error()
	}
}
