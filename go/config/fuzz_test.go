package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// Arguments are joined by NUL, the one byte that none can contain.
func seedLines(f *testing.F) {
	for _, l := range realLines() {
		f.Add(strings.Join(strings.Fields(l.line), "\x00"))
	}
	for _, l := range []string{
		"f\x00--polled\x00--\x000", "--json\x00-\x00-N\x001", "-S1\x00-d7\x00-s9\x00-c0\x00f", "-a1\x00-p1\x00--depth=3\x00f",
		"--hybrid-poll\x00--sqpoll\x00--sqpoll-cpu=1\x00f", "-r.5\x00--interval\x0020ms\x00-b\x001MiB\x00f", "-H\x00/h\x00-B0\x00-V1\x00-e1\x00f",
		"--cpus\x000-3,8\x00--pin=none\x00--seed\x007\x00--style\x00fio-3.29\x00-T1\x00-D1\x00-t1\x00-P1\x00f", "f\x00-?",
		"-r3\x00--repeat=3\x00--warmup\x0050ms\x00f", "--until-steady\x00--steady-round=2.5\x00f", "-r2\x00--until-steady\x00--steady-round\x00100ms\x00--interval=20ms\x00f",
		"--assert\x00iops>=5M\x00--assert=a,b\x00f\x00--no-ceiling", "--no-ceiling=0\x00--assert=\x00f", "--assert=-x\x00-N1",
		"-t\x00each\x00--clock=tsc\x00f", "--latency=each\x00--clock\x00monotonic\x00-N1", "-teach\x00-N1",
	} {
		f.Add(l)
	}
}

func wantUsage(t *testing.T, args []string, err error) {
	t.Helper()
	var e *result.Error
	if !errors.As(err, &e) || e.Status != result.StatusUsage && e.Status != result.StatusSetup {
		t.Fatalf("%q: error %v has no status", args, err)
	}
}

func FuzzNormalise(f *testing.F) {
	seedLines(f)
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		once, err := Options().Normalise(args)
		if err != nil {
			wantUsage(t, args, err)
			return
		}
		twice, err := Options().Normalise(once)
		if err != nil || !slices.Equal(once, twice) {
			t.Fatalf("%q became %q, then %q (%v)", args, once, twice, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	seedLines(f)
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		argv, err := Options().Normalise(args)
		if err != nil || argv[len(argv)-1] == "--help" && len(argv) == 1 || argv[0] == "--version" {
			return
		}
		req, err := parse(args)
		if err != nil {
			wantUsage(t, args, err)
			return
		}
		valid(t, req)
		again, err := parse(argv)
		if err != nil {
			t.Fatalf("%q is accepted, %q is not: %v", args, argv, err)
		}
		if d := cmp.Diff(req, again); d != "" {
			t.Fatalf("%q and %q differ:\n%s", args, argv, d)
		}
	})
}

// valid holds a request against what later stages rely on.
func valid(t *testing.T, req Request) {
	t.Helper()
	s := req.Spec
	reads, ring := s.Op == result.OpRead, s.Engine == result.EngineURing
	for what, ok := range map[string]bool{
		"depth":         1 <= s.Depth && s.Depth <= MaxDepth,
		"submit batch":  1 <= s.SubmitBatch && s.SubmitBatch <= s.Depth,
		"wait batch":    1 <= s.CompleteBatch && s.CompleteBatch <= s.Depth,
		"block size":    1 <= s.BlockSize && s.BlockSize <= MaxBlockSize,
		"threads":       1 <= s.Threads && s.Threads <= MaxThreads,
		"targets":       s.Targets != nil && reads == (len(s.Targets) > 0) && !slices.Contains(s.Targets, "") && !slices.Contains(s.Targets, "-"),
		"operation":     reads || ring && s.Polled == result.ChoiceNo,
		"polling":       s.Direct || s.Passthrough || s.Polled == result.ChoiceNo,
		"hybrid":        !s.HybridPoll || s.Polled == result.ChoiceYes && ring,
		"sq thread":     s.SQPoll && ring && s.SQPollIdleMS > 0 && s.SQPollCPU >= -1 || !s.SQPoll && s.SQPollIdleMS == 0 && s.SQPollCPU == -1,
		"ring features": ring || !s.FixedBuffers && !s.FixedFiles && !s.RegisteredRing && !s.Vectored && !s.Restricted,
		"vectored":      !s.Vectored || !s.FixedBuffers || s.Passthrough,
		"passthrough":   !s.Passthrough || reads && ring,
		"runtime":       s.RuntimeNS == 0 || s.RuntimeNS >= minInterval,
		"interval":      s.IntervalNS >= minInterval && (s.RuntimeNS == 0 || s.IntervalNS <= s.RuntimeNS),
		"ceiling":       !s.Ceiling || reads,
		"assertions":    !slices.Contains(s.Assertions, ""),
		"rounds":        s.Rounds >= 0,
		"warm-up":       s.WarmupNS >= 0,
		"repeats":       s.Repeat == 1 || 1 < s.Repeat && s.Repeat <= maxRepeat && s.RuntimeNS > 0,
		"steady rounds": s.SteadyRoundNS >= s.IntervalNS && s.SteadyRoundNS%s.IntervalNS == 0,
		"until steady":  !s.UntilSteady || s.RuntimeNS >= steadyRounds*s.SteadyRoundNS,
		"pinning":       s.Pinning == result.PinOne || s.Pinning == result.PinNone,
		"cpus":          s.CPUs == "" || validCPUList(s.CPUs),
		"style":         slices.Contains(Styles(), req.Style),
		"latency log":   req.HDR == "" || s.Latency && req.HDR != "-",
		"one stdout":    (req.JSON != "-" || req.JSONL != "-") && (req.Bench != "-" || req.JSON != "-" && req.JSONL != "-") && req.OpenMetrics != "-",
		"latency":       s.Latency || !s.LatencyEach,
		"clock":         s.Clock == result.ClockAuto || s.Clock == result.ClockTSC || s.Clock == result.ClockMonotonic,
		"synchronous":   s.Engine != result.EnginePreadv2 || s.Depth == 1,
	} {
		if !ok {
			t.Errorf("%s: %+v", what, req)
		}
	}
}
