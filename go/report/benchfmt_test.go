package report

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/perf/benchfmt"

	"ringpeak/go/metric"
	"ringpeak/go/result"
)

// sampledRun is a run of as many repeats as there are rates, each with all
// figures: latency falls and costs rise and fall with the rate.
func sampledRun(rates ...float64) *result.Result {
	r := baseRun()
	r.Spec.Repeat, r.Spec.Latency = len(rates), true
	for i, rate := range rates {
		total := result.Counters{Completed: uint64(10 * rate)}
		system := int64(float64(total.Completed) * 3e8 / rate)
		perIO := func(v float64) result.OptFloat { v /= rate; return &v }
		p := result.Repeat{
			Number:  i + 1,
			Summary: result.Summary{WindowNS: 10 * second, Total: total, IOPSMean: rate, BytesPerSecond: 512 * rate},
			Latency: &result.Latency{},
			Usage: &result.Usage{Total: result.ThreadUsage{
				Completed: total.Completed, NSPerIO: perIO(9e8), SystemNS: &system, InstructionsPerIO: perIO(3e9), CyclesPerIO: perIO(2e9),
			}},
		}
		for _, point := range stepsOfLatency {
			p.Latency.Percentiles = append(p.Latency.Percentiles, result.Percentile{Percent: point, NS: int64(point * 1e10 / rate)})
		}
		r.Repeats = append(r.Repeats, p)
	}
	return r
}

var stepsOfLatency = []float64{50, 99, 99.9}

// noisy are n rates around one, none like another.
func noisy(n int, rate, spread float64, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = rate * (1 + spread*(2*rng.Float64()-1))
	}
	return rates
}

// benchText writes runs and reads them back; a line that the format's reader
// does not understand is an error.
func benchText(t *testing.T, runs ...BenchRun) (text string, lines []*benchfmt.Result, units benchfmt.UnitMetadataMap) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteBench(&b, runs...); err != nil {
		t.Fatal(err)
	}
	text = b.String()
	reader := benchfmt.NewReader(&b, "text")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			lines = append(lines, rec.Clone())
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if err := reader.Err(); err != nil {
		t.Error(err)
	}
	return text, lines, reader.Units()
}

// TestBenchNotInAll: benchstat would compare only the repeats whose system time
// was long enough to be seen, so the file says which figures those are.
func TestBenchNotInAll(t *testing.T) {
	r := sampledRun(noisy(6, 5e6, 0.1, 1)...)
	if text, _, _ := benchText(t, benchRun(r)); strings.Contains(text, "do not compare") {
		t.Errorf("of all:\n%s", text)
	}
	*r.Repeats[1].Usage.Total.SystemNS, r.Repeats[4].Usage.Total.SystemNS = 0, nil
	run := benchRun(r)
	for _, want := range []string{"system-ns/IO was", "system-ns/IO of arm=b was"} {
		text, _, _ := benchText(t, run)
		if want = "# " + want + " not measured, or 0, in 2 of 6 samples: do not compare it\n"; strings.Count(text, "do not") != 1 || !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
		run.Extra = []string{"arm=b"}
	}
}

// TestBenchRoundTrip: as many lines as complete repeats, with exactly the
// figures that these have.
func TestBenchRoundTrip(t *testing.T) {
	some := sampledRun(noisy(6, 5.1e6, 0.1, 1)...)
	some.Repeats[2].Partial = true
	some.Repeats[4].Latency, some.Repeats[5].Usage = nil, nil
	for name, r := range map[string]*result.Result{
		"repeats": some, "one": latencyRun(), "nop": nopRun(), "files": twoFilesRun(), "errors": errorsRun(),
	} {
		samples := metric.Samples(r)
		text, lines, units := benchText(t, benchRun(r))
		if len(lines) != len(samples) || name == "repeats" && len(lines) != 5 {
			t.Fatalf("%s: %d lines of %d samples\n%s", name, len(lines), len(samples), text)
		}
		for i, line := range lines {
			if line.Iters != int(samples[i].Summary.Total.Completed) || line.Iters == 0 {
				t.Errorf("%s: %d iterations", name, line.Iters)
			}
			for _, c := range line.Config {
				if !c.File {
					t.Errorf("%s: %s is not in the file", name, c.Key)
				}
			}
			for _, m := range metric.All() {
				want, has := m.Value(&samples[i])
				got, found := 0.0, false
				for _, v := range line.Values {
					if v.Unit == m.Go || v.OrigUnit == m.Go {
						if got, found = v.Value, true; v.OrigUnit != "" {
							got = v.OrigValue
						}
					}
				}
				if has != found || got != want {
					t.Errorf("%s, line %d: %s is %v, %v, not %v, %v", name, i, m.Name, got, found, want, has)
				}
				if better := map[bool]int{true: 1, false: -1}[m.Higher]; has && units.GetBetter(unitOf(line, m.Go)) != better {
					t.Errorf("%s: %s is better %d", name, m.Name, units.GetBetter(m.Go))
				}
				if strings.Contains(text, "Unit "+m.Go+" assume=nothing\n") != strings.Contains(text, " "+m.Go+" ") && name != "repeats" {
					t.Errorf("%s: %s has metadata and no values, or none\n%s", name, m.Go, text)
				}
			}
		}
	}
}

// unitOf is the tidied unit of a line's value in unit.
func unitOf(line *benchfmt.Result, unit string) string {
	for _, v := range line.Values {
		if v.OrigUnit == unit {
			return v.Unit
		}
	}
	return unit
}

// TestBenchNames: the settings in force are in the name, and the format takes
// each as a key with a value, and none as GOMAXPROCS.
func TestBenchNames(t *testing.T) {
	const usual = "Read/target=nvme1n1/bs=512/depth=128/submit=32/complete=32/submitters=1"
	long := make([]result.Target, 90)
	for i := range long {
		long[i].Path = fmt.Sprintf("/dev/nvme%dn1", i)
	}
	for _, tt := range []struct {
		change func(r *result.Result)
		want   string
	}{
		{func(*result.Result) {}, usual + "/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Granted.Polled = false }, usual + "/fixedbufs=1/polled=0"},
		{func(r *result.Result) { r.Granted.FixedBuffers, r.Granted.FixedFiles = false, false }, usual + "/fixedfiles=0/fixedbufs=0/polled=1"},
		{func(r *result.Result) { r.Spec.RegisteredRing, r.Spec.Random = false, false }, usual + "/random=0/regring=0/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Spec.CPUs, r.Spec.Pinning = "0-3", result.PinNone }, usual + "/cpus=0-3/pin=none/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Spec.Latency, r.Spec.Clock = true, result.ClockTSC }, usual + "/latency=1/clock=tsc/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Spec.Latency, r.Spec.LatencyEach = true, true }, usual + "/latency=each/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Spec.SQPoll, r.Spec.SQPollCPU, r.Spec.SQPollIdleMS = true, 3, 50 }, usual + "/sqpoll=1/sqpollcpu=3/sqpollidle=50/fixedbufs=1/polled=1"},
		{func(r *result.Result) {
			r.Spec.Engine, r.Spec.Direct, r.Spec.Passthrough, r.Spec.Vectored = result.EngineAIO, false, true, true
		}, usual + "/engine=aio/passthrough=1/direct=0/vectored=1/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Spec.Restricted, r.Spec.HybridPoll, r.Spec.NUMA = true, true, true }, usual + "/restricted=1/hybrid=1/numa=1/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Spec.HugeFile, r.Spec.Rounds = "/mnt/huge/f", 4 }, usual + "/hugefile=1/rounds=4/fixedbufs=1/polled=1"},
		// How long and how often is no setting, nor is the seed.
		{func(r *result.Result) { r.Spec.Repeat, r.Spec.RuntimeNS, r.Spec.WarmupNS, r.Spec.Seed = 9, 5, 6, 7 }, usual + "/fixedbufs=1/polled=1"},
		{func(r *result.Result) {
			r.Targets = []result.Target{{Path: "/mnt/a b/my file"}, {Path: "./c\nd-4"}, {Path: "dm-0"}, {Path: "\xff=ü"}}
		}, strings.Replace(usual, "nvme1n1", "my_file+c_d-4+dm-0+_=ü", 1) + "/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Targets = nil }, usual + "/fixedbufs=1/polled=1"},
		{func(r *result.Result) { r.Targets = long }, strings.Replace(usual, "nvme1n1", "nvme0n1+89more_0cf45302", 1) + "/fixedbufs=1/polled=1"},
		{func(r *result.Result) { *r = *nopRun() }, "Nop/depth=128/submit=32/complete=32/submitters=1/polled=0"},
	} {
		r := baseRun()
		measure(r, 1e6)
		tt.change(r)
		_, lines, _ := benchText(t, BenchRun{Result: r, Samples: []metric.Sample{{Summary: &r.Summary}}})
		if len(lines) != 1 || lines[0].Name.String() != tt.want {
			t.Errorf("%v, want %s", lines[0].Name, tt.want)
		}
		if base, parts := lines[0].Name.Parts(); string(base) != tt.want[:strings.Index(tt.want, "/")] {
			t.Errorf("%s is taken for the name", base)
		} else {
			for _, p := range parts {
				if p[0] != '/' || bytes.IndexByte(p, '=') < 2 {
					t.Errorf("%s of %v is no key and value", p, lines[0].Name)
				}
			}
		}
	}
}

// TestBenchArms: runs side by side in one file, told apart by something of
// their own in the name.
func TestBenchArms(t *testing.T) {
	a, b := sampledRun(1e6, 2e6), sampledRun(3e6)
	b.Spec.Repeat, b.Summary = 1, b.Repeats[0].Summary
	b.Granted.Polled, b.Spec.CPUs, b.Command = false, "0-1", []string{"ringpeak", "-p0", "x\nBenchmarkRead 1 2 IOPS"}
	differ := DifferingSettings(a, b)
	if !slices.Equal(differ, []string{"polled", "cpus"}) {
		t.Errorf("differing: %v", differ)
	}
	if same := DifferingSettings(a, a, a); len(same) != 0 {
		t.Errorf("differing from itself: %v", same)
	}
	text, lines, _ := benchText(t,
		BenchRun{Result: a, Samples: metric.Samples(a), Without: differ, Extra: []string{"arm=a"}},
		BenchRun{Result: b, Samples: metric.Samples(b), Without: differ, Extra: []string{"arm=b/c d-4"}})
	var names []string
	for _, l := range lines {
		names = append(names, l.Name.String())
	}
	const usual = "Read/target=nvme1n1/bs=512/depth=128/submit=32/complete=32/submitters=1/latency=1/fixedbufs=1/arm="
	if want := []string{usual + "a", usual + "a", usual + "b_c_d_4"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	for _, once := range []string{"Unit IOPS better=higher\n", "goarch: amd64\n", "# kernel 6.12.9-amd64 #1 SMP", "# command ringpeak -b512", `# command ringpeak -p0 $'x\nBench`} {
		if strings.Count(text, once) != 1 {
			t.Errorf("%q is there %d times\n%s", once, strings.Count(text, once), text)
		}
	}
}

// TestBenchConfig: what may differ between before and after is in no line of
// configuration, since such files are not compared.
func TestBenchConfig(t *testing.T) {
	before, after := sampledRun(1e6, 2e6), sampledRun(1e6, 2e6)
	after.System.Kernel, after.System.Build, after.Started = "7.0.1", "#2 SMP", "2026-09-01T12:00:00Z"
	after.Tool = result.Tool{Version: "9", Commit: "x", Liburing: "3.0", CoreID: "y", Go: "go2"}
	after.Command = append(after.Command, "--seed=5")
	after.Granted.Dropped, after.Granted.SetupFlags = nil, nil
	config := func(r *result.Result) string {
		_, lines, _ := benchText(t, benchRun(r))
		text := lines[0].Name.String()
		for _, c := range lines[0].Config {
			text += fmt.Sprintf(" %s: %s", c.Key, c.Value)
		}
		return text
	}
	if b, a := config(before), config(after); a != b {
		t.Errorf("before %s, after %s", b, a)
	}
	for what, change := range map[string]func(r *result.Result){
		"architecture": func(r *result.Result) { r.System.Machine = "aarch64" },
		"processor":    func(r *result.Result) { r.System.CPUModel = "AMD EPYC 9654 96-Core Processor" },
		"drive":        func(r *result.Result) { r.Targets[0].Model = "other" },
	} {
		r := sampledRun(1e6, 2e6)
		if change(r); config(r) == config(before) {
			t.Errorf("another %s makes no difference", what)
		}
	}
	unknown := sampledRun(1e6, 2e6)
	unknown.System, unknown.Targets[0].Model = result.System{}, ""
	if text, lines, _ := benchText(t, benchRun(unknown)); len(lines[0].Config) != 0 {
		t.Errorf("what is not known is there\n%s", text)
	}
}

// TestBenchOfNothing: a run that came to nothing leaves a file without lines,
// which says why.
func TestBenchOfNothing(t *testing.T) {
	none := baseRun()
	none.Spec.Repeat = 3
	text, lines, _ := benchText(t, benchRun(none))
	if len(lines) != 0 || !strings.Contains(text, "# no repeat was complete\n") || !IsBench([]byte(text)) {
		t.Errorf("no repeat\n%s", text)
	}
	failed := baseRun()
	failed.Summary.Total.Failed = 7
	if text, lines, _ := benchText(t, benchRun(failed)); len(lines) != 0 || !strings.Contains(text, "# 7 I/Os failed") || strings.Contains(text, "Unit") {
		t.Errorf("all failed\n%s", text)
	}
	if err := WriteBenchRun(failing{}, latencyRun()); !errors.Is(err, syscall.EPIPE) || !strings.HasPrefix(err.Error(), "write benchmarks: ") {
		t.Errorf("a writer that fails: %v", err)
	}
}
