package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// TestResolve holds lines against the Spec and the notes they come to. A note
// is given as a part of its text.
func TestResolve(t *testing.T) {
	const yes, no = result.ChoiceYes, result.ChoiceNo
	type spec = result.Spec
	aio := func(s *spec) {
		s.Engine, s.Polled = result.EngineAIO, no
		s.FixedBuffers, s.FixedFiles, s.RegisteredRing = false, false, false
	}
	preadv2 := func(s *spec) {
		s.Engine, s.Depth, s.SubmitBatch, s.CompleteBatch = result.EnginePreadv2, 1, 1, 1
		s.FixedBuffers, s.FixedFiles, s.RegisteredRing = false, false, false
	}
	for _, c := range []struct {
		line   string
		change func(*spec)
		notes  []string
	}{
		{"f", func(*spec) {}, nil},
		{"f -d8", func(s *spec) { s.Depth, s.SubmitBatch, s.CompleteBatch = 8, 8, 8 }, nil},
		{"f -d8 -s9", func(s *spec) { s.Depth, s.SubmitBatch, s.CompleteBatch = 8, 8, 8 }, []string{"-s9 is more than the depth, so it becomes 8"}},
		{"f -s0 -c0", func(s *spec) { s.SubmitBatch, s.CompleteBatch = 1, 1 }, []string{"-s0 means -s1", "-c0 means -c1"}},
		{"f -d1 -s0 -c2", func(s *spec) { s.Depth, s.SubmitBatch, s.CompleteBatch = 1, 1, 1 }, []string{"-s0 means", "-c2 is more"}},
		{"f -d3 -d5 -s5", func(s *spec) { s.Depth, s.SubmitBatch, s.CompleteBatch = 5, 5, 5 }, nil},
		{"f -p auto", func(*spec) {}, nil},
		{"f -p1", func(s *spec) { s.Polled = yes }, nil},
		{"f -p1 --polled=auto", func(*spec) {}, nil},
		{"f -O0", func(s *spec) { s.Direct, s.Polled = false, no }, nil},
		{"f -D1 -T2000000000", func(*spec) {}, []string{"-D1 has no effect", "-T has no effect"}},
		{"f -D0", func(*spec) {}, nil},
		{"f -V1", func(*spec) {}, []string{"-V1 has no effect with -B1"}},
		{"f -V1 -B0", func(s *spec) { s.Vectored, s.FixedBuffers = true, false }, nil},
		{"f -e1 -F1", func(s *spec) { s.Restricted = true }, nil},
		{"f --seed 0", func(s *spec) { s.Seed = 0 }, nil},
		{"f --hybrid-poll", func(s *spec) { s.HybridPoll, s.Polled = true, yes }, nil},
		{"f --hybrid-poll -p auto", func(s *spec) { s.HybridPoll, s.Polled = true, yes }, nil},
		{"f --sqpoll", func(s *spec) { s.SQPoll, s.SQPollIdleMS = true, 1000 }, nil},
		{"f --sqpoll --sqpoll-cpu 0 --sqpoll-idle=5", func(s *spec) { s.SQPoll, s.SQPollCPU, s.SQPollIdleMS = true, 0, 5 }, nil},
		{"f -r0.5", func(s *spec) { s.RuntimeNS, s.IntervalNS = 5e8, 5e8 }, nil},
		{"f -r3 --warmup 0.5 --repeat 4", func(s *spec) { s.RuntimeNS, s.WarmupNS, s.Repeat = 3e9, 5e8, 4 }, nil},
		{"f --until-steady", func(s *spec) { s.UntilSteady, s.RuntimeNS = true, 600e9 }, nil},
		{"f --until-steady -r11 --steady-round 1.5 --interval 700ms", func(s *spec) {
			s.UntilSteady, s.RuntimeNS, s.IntervalNS, s.SteadyRoundNS = true, 11e9, 7e8, 21e8
		}, []string{"--steady-round 1.5s is not a whole number of intervals, so it becomes 2.1s"}},
		{"f --interval 5s", func(s *spec) { s.IntervalNS, s.SteadyRoundNS = 5e9, 5e9 }, nil},
		{"f -r1 --interval 2s", func(s *spec) { s.RuntimeNS, s.IntervalNS = 1e9, 1e9 }, []string{"--interval 2s is longer than the run"}},
		{"f --cpus 0-3,8 --pin none --rounds 1", func(s *spec) { s.CPUs, s.Pinning, s.Rounds = "0-3,8", result.PinNone, 1 }, nil},
		{"f f -n3", func(s *spec) { s.Targets, s.Threads = []string{"f", "f"}, 3 }, nil},
		{"-- -f", func(s *spec) { s.Targets = []string{"-f"} }, nil},

		{"-N1", nop, nil},
		{"-N1 -p0 -B0 -F0", nop, nil},
		{"-N1 -p1 -F1 -B1 -V1 -P1 -H/h f", nop, []string{"-p1, -B1, -F1, -V1, -H/h and -P1 have no effect with -N1", "-N1 does not use the targets"}},
		{"-N1 -O0 -p1", func(s *spec) { nop(s); s.Direct = false }, []string{"-p1 has no effect"}},
		{"-N1 --sqpoll", func(s *spec) { nop(s); s.SQPoll, s.SQPollIdleMS = true, 1000 }, nil},

		{"f -a1", aio, nil},
		{"f -a1 -p1 -B1 -F1 -X1 -V1 -e1", aio, []string{"-p1, -B1, -F1, -X1, -V1 and -e1 have no effect with -a1"}},
		{"f -a1 -p1 -O0", func(s *spec) { aio(s); s.Direct = false }, []string{"-p1 has no effect with -a1"}},
		{"f -S1", preadv2, nil},
		{"f -S1 -p1", func(s *spec) { preadv2(s); s.Polled = yes }, nil},
		{"f -S1 -d128 -s32 -c32 -F1 -B0", preadv2, []string{"-d128, -s32, -c32 and -F1 have no effect with -S1"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			req := mustParse(t, c.line)
			if d := cmp.Diff(with(defaults("f"), c.change), req.Spec); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if len(req.Notes) != len(c.notes) {
				t.Fatalf("notes %q, want %q", req.Notes, c.notes)
			}
			for i, n := range req.Notes {
				if n.Code == "" || !strings.Contains(n.Text, c.notes[i]) {
					t.Errorf("note %+v does not say %q", n, c.notes[i])
				}
			}
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, c := range []struct {
		line string
		says []string
	}{
		{"", []string{"nothing to read", "-N1", "--help"}},
		{"-d128 -N0", []string{"nothing to read"}},
		{"f -", []string{"stdin", "./-"}},
		{"f -a1 -S1", []string{"-a1 and -S1"}},
		{"-N1 -a1", []string{"-N1 and -a1"}},
		{"-N1 -S1", []string{"-N1 and -S1"}},
		{"f -p1 -O0", []string{"-p1 and -O0"}},
		{"f -S1 -p1 -O0", []string{"-p1 and -O0"}},
		{"f --hybrid-poll -O0", []string{"--hybrid-poll and -O0"}},
		{"f --hybrid-poll -p0", []string{"--hybrid-poll and -p0"}},
		{"f --hybrid-poll -S1", []string{"--hybrid-poll"}},
		{"-N1 --hybrid-poll", []string{"--hybrid-poll and -N1"}},
		{"f -u1 -a1", []string{"-u1", "-a1"}},
		{"-u1 -N1", []string{"-u1 and -N1"}},
		{"f --sqpoll -a1", []string{"--sqpoll"}},
		{"f --sqpoll -S1", []string{"--sqpoll"}},
		{"f --sqpoll-cpu 0", []string{"--sqpoll-cpu", "add --sqpoll"}},
		{"f --sqpoll-idle 10", []string{"--sqpoll-idle", "add --sqpoll"}},
		{"f -r 5ms", []string{"-r/--runtime", "5ms", "0.01 s"}},
	} {
		t.Run(c.line, func(t *testing.T) {
			_, err := parse(strings.Fields(c.line))
			wantError(t, err, result.StatusUsage, c.says...)
		})
	}
	_, err := parse([]string{""})
	wantError(t, err, result.StatusUsage, "empty name")
}

func TestOutputOptions(t *testing.T) {
	if req := mustParse(t, "f"); req.Style != StyleNative || req.JSON != "" {
		t.Errorf("defaults: %+v", req)
	}
	if req := mustParse(t, "f --style fio-3.29 --json -"); req.Style != "fio-3.29" || req.JSON != "-" {
		t.Errorf("given: %+v", req)
	}
	req := mustParse(t, "f --json a --jsonl - --openmetrics b --hdr c --benchfmt d")
	if req.Outputs != (Outputs{"a", "-", "b", "c", "d"}) || !req.OnStdout() || !req.Spec.Latency {
		t.Errorf("files: %+v", req)
	}
	if req := mustParse(t, "f --benchfmt -"); !req.OnStdout() {
		t.Error("--benchfmt - is not stdout")
	}
	for line, says := range map[string]string{
		"f --json - --jsonl -":     "--json - and --jsonl - exclude each other",
		"f --json - --benchfmt -":  "--json - and --benchfmt - exclude each other",
		"f --jsonl - --benchfmt -": "--jsonl - and --benchfmt - exclude each other",
		"f --openmetrics -":        "--openmetrics takes a file",
		"f --hdr -":                "--hdr takes a file",
		"f --hdr a -t0":            "--hdr and -t0 exclude each other",
	} {
		_, err := parse(strings.Fields(line))
		wantError(t, err, result.StatusUsage, says)
	}
}
