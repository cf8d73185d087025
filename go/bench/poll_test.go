package bench

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

const (
	auto = result.ChoiceAuto
	yes  = result.ChoiceYes
	no   = result.ChoiceNo
)

// newPollRun is a run in front of resolvePolling, with targets for which sysfs
// said what can holds. Submitter -1 of the rig is the probe.
func newPollRun(t *testing.T, asked result.Choice, can ...result.Choice) (*rig, *run) {
	x := newRig(t, 1, 0)
	x.Spec.Op, x.Spec.Polled = result.OpRead, asked
	r := &run{Options: x.Options, res: &result.Result{Spec: x.Spec}}
	for i, c := range can {
		tt := result.Target{Path: fmt.Sprintf("/dev/t%d", i), FD: 100 + i, Blocks: 16, Kind: result.KindBlock, CanPoll: c}
		if c == no {
			tt.WhyNotPoll = "it has no poll queues"
		}
		r.res.Targets = append(r.res.Targets, tt)
	}
	return x, r
}

func TestResolvePolling(t *testing.T) {
	refused := fake.Script{IO: fake.FatalAt(1, syscall.EOPNOTSUPP)}
	tests := []struct {
		name   string
		asked  result.Choice
		can    []result.Choice
		probe  fake.Script
		polled bool
		notes  int
		status int // of the error; 0 is none
		words  []string
		reads  int // probes that were opened
	}{
		{name: "not wanted", asked: no, can: []result.Choice{yes}},

		{name: "auto, can", asked: auto, can: []result.Choice{yes}, polled: true, reads: 1},
		{name: "auto, unknown, works", asked: auto, can: []result.Choice{auto}, polled: true, reads: 1},
		{name: "auto, cannot", asked: auto, can: []result.Choice{no}, notes: 1},
		{name: "auto, unknown, refused", asked: auto, can: []result.Choice{auto}, probe: refused, notes: 1, reads: 1},
		{name: "auto, can, refused", asked: auto, can: []result.Choice{yes}, probe: refused, notes: 1, reads: 1},
		{name: "auto, unknown, stuck", asked: auto, can: []result.Choice{auto}, probe: fake.Script{Block: fake.BlockKick, Stuck: 1}, notes: 1, reads: 1},
		{name: "auto, one of two cannot", asked: auto, can: []result.Choice{yes, no}, notes: 1, reads: 1},
		{name: "auto, both can", asked: auto, can: []result.Choice{yes, auto}, polled: true, reads: 2},

		{name: "yes, can", asked: yes, can: []result.Choice{yes}, polled: true, reads: 1},
		{name: "yes, unknown, works", asked: yes, can: []result.Choice{auto}, polled: true, reads: 1},
		{name: "yes, cannot", asked: yes, can: []result.Choice{no}, status: result.StatusSetup, words: []string{"/dev/t0", "cannot be polled", "no poll queues", "-p0"}},
		{
			name: "yes, refused", asked: yes, can: []result.Choice{yes}, probe: refused, reads: 1,
			status: result.StatusSetup, words: []string{"/dev/t0", "EOPNOTSUPP", "-p0"},
		},
		{
			name: "yes, stuck", asked: yes, can: []result.Choice{yes}, probe: fake.Script{Block: fake.BlockKick, Stuck: 1}, reads: 1,
			status: result.StatusSetup, words: []string{"/dev/t0", "did not complete within 300ms"},
		},
		{
			name: "yes, second target cannot", asked: yes, can: []result.Choice{yes, no}, reads: 1,
			status: result.StatusSetup, words: []string{"/dev/t1"},
		},

		{
			name: "a read that fails is no question of polling", asked: auto, can: []result.Choice{auto},
			probe: fake.Script{IO: fake.FailAt(1, syscall.EIO)}, reads: 1, polled: true,
		},
		{
			name: "a fatal one neither", asked: auto, can: []result.Choice{auto},
			probe: fake.Script{IO: fake.FatalAt(1, syscall.ENXIO)}, reads: 1, status: result.StatusIO, words: []string{"/dev/t0", "ENXIO"},
		},
		{
			name: "nor a short one", asked: auto, can: []result.Choice{auto},
			probe: fake.Script{IO: fake.ShortEvery(1)}, reads: 1, polled: true,
		},
		{
			name: "a ring that does not open", asked: auto, can: []result.Choice{auto},
			probe: fake.Script{OpenError: &engine.Error{Step: engine.StepBuffers, Errno: syscall.ENOMEM}}, status: result.StatusSetup, words: []string{"locked memory"},
		},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x, r := newPollRun(t, tt.asked, tt.can...)
			x.only(-1, tt.probe)
			began := time.Now()
			err := r.resolvePolling()
			if tt.status != 0 {
				wantError(t, err, tt.status, tt.words...)
			} else if err != nil {
				t.Error(err)
			}
			if r.polled != tt.polled || len(r.res.Notes) != tt.notes {
				t.Errorf("polled %v, notes %+v", r.polled, r.res.Notes)
			}
			for i, c := range r.res.Targets {
				if tt.polled && (c.CanPoll != yes || c.WhyNotPoll != "") {
					t.Errorf("target %d: %s, %q", i, c.CanPoll, c.WhyNotPoll)
				}
			}
			if tt.notes > 0 && !slices.ContainsFunc(r.res.Targets, func(c result.Target) bool { return c.CanPoll == no && c.WhyNotPoll != "" }) {
				t.Errorf("no target says why: %+v", r.res.Targets)
			}
			// Each is open once, and closed unless its read is stuck.
			closed := tt.reads - tt.probe.Stuck
			if o, c := x.eng.Count(fake.Open), x.eng.Count(fake.Close); o != tt.reads || c != closed {
				t.Errorf("%d opened, %d closed; want %d, %d", o, c, tt.reads, closed)
			}
			if v := x.eng.Violations(); len(v) > 0 {
				t.Error(v)
			}
			if d := time.Since(began); d > time.Second {
				t.Errorf("took %v", d)
			}
			for i, s := range x.eng.Submitters() {
				c := s.Config()
				if !c.Polled || c.Depth != 1 || len(c.Files) != 1 || c.Files[0].FD != 100+i {
					t.Errorf("probe with %+v", c)
				}
			}
		})
	}
}

// The read may hang in the kernel, or its ring while it is opened: nobody
// waits for ever.
func TestProbeHangs(t *testing.T) {
	scripts := map[string]fake.Script{
		"in the read": {Block: fake.BlockHang},
		"in open":     {OpenTakes: time.Second},
	}
	for name, script := range scripts {
		bubble(t, name, func(t *testing.T) {
			x, r := newPollRun(t, yes, yes)
			x.only(-1, script)
			began := time.Now()
			wantError(t, r.resolvePolling(), result.StatusSetup, "/dev/t0", "did not complete")
			if d := time.Since(began); d > 3*x.DrainTimeout+50*ms {
				t.Errorf("took %v", d)
			}
			x.release()
			if v := x.eng.Violations(); len(v) > 0 {
				t.Error(v)
			}
		})
	}
}

// A read that comes back in the very moment in which patience ends: the
// submitter must not be touched once it is closed.
func TestProbeRacesWithItsLimit(t *testing.T) {
	for range 50 {
		bubble(t, "", func(t *testing.T) {
			x, r := newPollRun(t, auto, auto)
			x.only(-1, fake.Script{Pace: x.DrainTimeout})
			if err := r.resolvePolling(); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			if v := x.eng.Violations(); len(v) > 0 {
				t.Error(v)
			}
		})
	}
}

func TestProbeIsRefused(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x, r := newPollRun(t, auto, auto)
		x.eng.ProbeError = &engine.Error{Step: engine.StepSetup, Errno: syscall.EINVAL}
		r.System.Kernel = "5.4.0"
		wantError(t, r.resolvePolling(), result.StatusSetup, "5.4.0")
	})
}

func TestWhatNeverPolls(t *testing.T) {
	for name, change := range map[string]func(*result.Spec){
		"NOP": func(s *result.Spec) { s.Op = result.OpNop },
		"AIO": func(s *result.Spec) { s.Engine = result.EngineAIO },
	} {
		t.Run(name, func(t *testing.T) {
			x, r := newPollRun(t, auto, auto)
			change(&r.Spec)
			if err := r.resolvePolling(); err != nil || r.polled || len(x.eng.Probes()) != 0 {
				t.Errorf("polled %v, probes %v, %v", r.polled, x.eng.Probes(), err)
			}
		})
	}
}

// The whole way: a buffered file cannot be polled.
func TestRunThatCannotPoll(t *testing.T) {
	bubble(t, "left open", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.Polled = auto
		res, err := x.run()
		if err != nil || !slices.ContainsFunc(res.Notes, func(n result.Note) bool { return n.Code == "not-polled" }) {
			t.Errorf("%+v, %v", res.Notes, err)
		}
		for _, s := range x.eng.Submitters() {
			if s.Config().Polled {
				t.Error("polled")
			}
		}
	})
	bubble(t, "asked for", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.Polled = yes
		res, err := x.run()
		wantError(t, err, result.StatusSetup, "file0", "-p0")
		if res != nil || x.eng.Count(fake.Open) != 0 {
			t.Error("opened all the same")
		}
	})
}

func TestSplitHint(t *testing.T) {
	most := int64(128)
	t1 := &result.Target{Kind: result.KindBlock, MaxSectorsKB: &most}
	if got := splitHint(t1, 128<<10); got != "" {
		t.Errorf("at the limit: %q", got)
	}
	if got := splitHint(t1, 256<<10); !strings.Contains(got, "262144 bytes") || !strings.Contains(got, "-b128k") {
		t.Errorf("above it: %q", got)
	}
	if got := splitHint(&result.Target{Kind: result.KindBlock}, 1<<20); got != "" {
		t.Errorf("unknown: %q", got)
	}
}
