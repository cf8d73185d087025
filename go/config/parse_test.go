package config

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ringpeak/go/result"
)

const testSeed = 42

// parseWith runs a command line through the whole chain.
func parseWith(args []string, read func(*cli.Context, func() uint64) (Request, error)) (Request, error) {
	argv, err := Options().Normalise(args)
	if err != nil {
		return Request{}, err
	}
	var req Request
	app := &cli.App{
		Name: "ringpeak", Version: "0", Flags: Options().Flags(), HideHelpCommand: true,
		CustomAppHelpTemplate: Help(), Writer: io.Discard, ErrWriter: io.Discard,
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return err },
		Action: func(c *cli.Context) error {
			var err error
			req, err = read(c, func() uint64 { return testSeed })
			return err
		},
	}
	err = app.Run(append([]string{"ringpeak"}, argv...))
	return req, err
}

func parse(args []string) (Request, error) { return parseWith(args, FromContext) }

// mustParse splits the line at spaces.
func mustParse(t *testing.T, line string) Request {
	t.Helper()
	req, err := parse(strings.Fields(line))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return req
}

// defaults is what a single target without options means.
func defaults(targets ...string) result.Spec {
	return result.Spec{
		Engine: result.EngineURing, Op: result.OpRead, Targets: targets,
		Depth: 128, SubmitBatch: 32, CompleteBatch: 32, BlockSize: 4096, Threads: 1, Random: true, Seed: testSeed,
		Polled: result.ChoiceAuto, SQPollCPU: -1,
		FixedBuffers: true, FixedFiles: true, RegisteredRing: true, Direct: true,
		IntervalNS: 1e9, Repeat: 1, SteadyRoundNS: 1e9, Pinning: result.PinOne, Ceiling: true,
	}
}

func with(s result.Spec, change func(*result.Spec)) result.Spec {
	change(&s)
	return s
}

// wantError checks the status, and that the sentence says what is needed.
func wantError(t *testing.T, err error, status int, parts ...string) {
	t.Helper()
	var e *result.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *result.Error", err)
	}
	if e.Status != status {
		t.Errorf("status %d, want %d: %v", e.Status, status, e)
	}
	for _, p := range parts {
		if !strings.Contains(e.Text, p) {
			t.Errorf("error does not mention %q: %v", p, e)
		}
	}
	if strings.Contains(e.Text, "\n") || strings.HasSuffix(e.Text, ".") {
		t.Errorf("not one sentence without a full stop: %q", e.Text)
	}
}
