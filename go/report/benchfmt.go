package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"ringpeak/go/metric"
	"ringpeak/go/result"
)

// BenchRun is what one run has for a file in Go's benchmark format.
type BenchRun struct {
	Result  *result.Result
	Samples []metric.Sample // a line each
	// Without are keys of settings that the names of its lines leave out, and
	// Extra parts key=value that follow the settings.
	Without, Extra []string
}

// WriteBench writes runs in Go's benchmark format, with one Write: a line for
// each sample, named by the work and the settings, with its completed I/Os as
// iterations and all figures of go/metric that it has. Two files whose settings
// are alike can be compared by benchstat as they are, since the lines that
// benchstat tells configurations apart by hold only what a comparison takes for
// granted: the processor and the drives. The kernel and the versions, which may
// be what is compared, are in comments, which readers of the format pass over.
// A sample without any figure has no line.
func WriteBench(w io.Writer, runs ...BenchRun) error {
	text, err := benchmarks(runs)
	if err != nil {
		return err
	}
	n, err := w.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write benchmarks: %w", err)
	}
	return nil
}

// WriteBenchRun is WriteBench of one run, each complete repeat of it a line.
func WriteBenchRun(w io.Writer, r *result.Result) error { return WriteBench(w, benchRun(r)) }

// SaveBenchRun writes it to path, as SaveJSON does.
func SaveBenchRun(path string, r *result.Result) error {
	return saveAs(path, r, func(r *result.Result) ([]byte, error) { return benchmarks([]BenchRun{benchRun(r)}) })
}

// SaveBench is WriteBench to path, as SaveJSON does.
func SaveBench(path string, runs ...BenchRun) error {
	text, err := benchmarks(runs)
	if err == nil {
		err = save(path, text)
	}
	return writing(path, err)
}

func benchRun(r *result.Result) BenchRun { return BenchRun{Result: r, Samples: metric.Samples(r)} }

// benchTitle begins a file. IsBench knows it by that.
const benchTitle = "# ringpeak: to be compared with benchstat"

func benchmarks(runs []BenchRun) ([]byte, error) {
	var lines []*benchfmt.Result
	used := map[string]bool{}
	for i := range runs {
		for j := range runs[i].Samples {
			line := benchLine(&runs[i], &runs[i].Samples[j])
			for _, v := range line.Values {
				used[v.Unit] = true
			}
			if len(line.Values) > 0 {
				lines = append(lines, line)
			}
		}
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, benchTitle)
	for _, c := range benchComments(runs) {
		fmt.Fprintln(&b, "#", plainLine(c))
	}
	out := benchfmt.NewWriter(&b)
	for _, m := range metric.All() {
		if !used[m.Go] {
			continue
		}
		for _, about := range [][2]string{{"better", m.Better()}, {"assume", "nothing"}} {
			err := out.Write(&benchfmt.UnitMetadata{
				UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: m.Go, Key: about[0]}, OrigUnit: m.Go, Value: about[1],
			})
			if err != nil {
				return nil, fmt.Errorf("benchmarks: %w", err)
			}
		}
	}
	for _, line := range lines {
		if err := out.Write(line); err != nil {
			return nil, fmt.Errorf("benchmarks: %w", err)
		}
	}
	return b.Bytes(), nil
}

// benchLine has values in the units of the table: readers tidy them.
func benchLine(run *BenchRun, s *metric.Sample) *benchfmt.Result {
	line := &benchfmt.Result{
		Config: benchConfig(run.Result),
		Name:   benchfmt.Name(benchName(run.Result, run.Without, run.Extra)),
		Iters:  int(s.Summary.Total.Completed),
	}
	for _, m := range metric.All() {
		if v, ok := m.Value(s); ok {
			line.Values = append(line.Values, benchfmt.Value{Value: v, Unit: m.Go})
		}
	}
	return line
}

// notInAll tells of figures that some samples have and others do not, as system
// time too short to be seen: what benchstat makes of the others is of no fair
// sample. A zero would not help: the format's reader leaves that one in ns.
func notInAll(run *BenchRun) (comments []string) {
	for _, m := range metric.All() {
		n := 0
		for j := range run.Samples {
			if _, ok := m.Value(&run.Samples[j]); ok {
				n++
			}
		}
		if all := len(run.Samples); n > 0 && n < all {
			of := strings.Join(append([]string{m.Go}, run.Extra...), " of ")
			comments = append(comments, fmt.Sprintf("%s was not measured, or 0, in %d of %d samples: do not compare it", of, all-n, all))
		}
	}
	return comments
}

// benchConfig is what must be the same for a comparison to make sense, under
// the keys of Go's own benchmarks where they have one.
func benchConfig(r *result.Result) []benchfmt.Config {
	arch := r.System.Machine
	switch arch {
	case "x86_64":
		arch = "amd64"
	case "aarch64":
		arch = "arm64"
	}
	var models []string
	for i := range r.Targets {
		if m := r.Targets[i].Model; m != "" && !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	var list []benchfmt.Config
	for _, c := range [][2]string{{"goarch", arch}, {"cpu", r.System.CPUModel}, {"drive", strings.Join(models, ", ")}} {
		if value := strings.TrimSpace(plainLine(c[1])); value != "" {
			list = append(list, benchfmt.Config{Key: c[0], Value: []byte(value), File: true})
		}
	}
	return list
}

// benchComments are, once each, the programs, kernels and command lines of runs,
// when they began, and what their lines cannot say.
func benchComments(runs []BenchRun) []string {
	var list []string
	for i := range runs {
		r := runs[i].Result
		comments := []string{
			fmt.Sprintf("ringpeak %s, commit %s, liburing %s, core %s", r.Tool.Version, r.Tool.Commit, r.Tool.Liburing, r.Tool.CoreID),
			"kernel " + r.System.Kernel + " " + r.System.Build,
			"command " + strings.Join(shellWords(r.Command), " "),
		}
		if i == 0 {
			comments = append(comments, "started "+r.Started)
		}
		if n := r.Summary.Total.Failed; n > 0 {
			comments = append(comments, fmt.Sprintf("%d I/Os failed, which no figure counts", n))
		}
		comments = append(comments, notInAll(&runs[i])...)
		if len(runs[i].Samples) == 0 {
			comments = append(comments, "no repeat was complete")
		}
		for _, c := range comments {
			if !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// plainLine is s on one line.
func plainLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
