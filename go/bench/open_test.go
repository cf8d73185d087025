package bench

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
)

func TestAllOpenBeforeAnyStarts(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 4, 2)
		granted := result.Granted{Opcode: "READ", SQEntries: 8}
		x.script = func(i int) fake.Script {
			s := fake.Script{Granted: granted}
			if i == 2 {
				s.OpenTakes = 300 * ms
			}
			return s
		}
		x.started = func(r *result.Result) error {
			time.Sleep(50 * ms)
			if open, start := x.eng.Count(fake.Open), x.eng.Count(fake.Start); open != 4 || start != 0 {
				t.Errorf("Started with %d open and %d running", open, start)
			}
			if r.Granted.Opcode != "READ" || r.Granted.SQEntries != 8 {
				t.Errorf("granted %+v", r.Granted)
			}
			tids := map[int]bool{}
			for _, p := range r.Placements {
				tids[p.TID] = true
			}
			if len(tids) != 4 || tids[0] {
				t.Errorf("threads %v, want four", tids)
			}
			return nil
		}
		if _, err := x.run(); err != nil {
			t.Fatal(err)
		}
		var kinds []fake.EventKind
		for _, e := range x.eng.Events() {
			if e.What != fake.Kicked {
				kinds = append(kinds, e.What)
			}
		}
		want := slices.Repeat([]fake.EventKind{fake.Open}, 4)
		want = append(want, slices.Repeat([]fake.EventKind{fake.Start}, 4)...)
		want = append(want, slices.Repeat([]fake.EventKind{fake.Drain}, 4)...)
		want = append(want, slices.Repeat([]fake.EventKind{fake.Close}, 4)...)
		if !slices.Equal(kinds, want) {
			t.Errorf("events %v", kinds)
		}
	})
}

// The counters are read after the last drain, so nobody may close before.
func TestNoneClosesBeforeAllAreDrained(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.only(1, fake.Script{DrainTakes: 200 * ms})
		if _, err := x.run(); err != nil {
			t.Fatal(err)
		}
		var drained time.Time
		for _, e := range x.eng.Events() {
			if e.What == fake.Drain && e.Seed == streamSeed(x.Spec.Seed, 1) {
				drained = e.At.Add(200 * ms)
			}
			if e.What == fake.Close && e.At.Before(drained) {
				t.Errorf("closed %v before the other was drained", drained.Sub(e.At))
			}
		}
	})
}

func TestOpenFails(t *testing.T) {
	memlock := &engine.Error{Step: engine.StepBuffers, Errno: syscall.ENOMEM, Bytes: 1 << 20}
	setup := &engine.Error{Step: engine.StepSetup, Errno: syscall.EPERM}
	tests := []struct {
		name   string
		fail   map[int]error
		opened int
		words  []string
	}{
		{"the first", map[int]error{0: memlock}, 3, []string{"4096 KiB", "ulimit -l"}},
		{"the last", map[int]error{3: memlock}, 3, []string{"4096 KiB", "ulimit -l"}},
		{"two: the first one's error counts", map[int]error{3: memlock, 1: setup}, 2, []string{"io_uring_setup", "not permitted"}},
		{"all", map[int]error{0: setup, 1: memlock, 2: memlock, 3: memlock}, 0, []string{"not permitted"}},
	}
	for _, tt := range tests {
		bubble(t, tt.name, func(t *testing.T) {
			x := newRig(t, 4, 1)
			x.script = func(i int) fake.Script {
				return fake.Script{OpenError: tt.fail[i], OpenTakes: time.Duration(4-i) * ms}
			}
			x.started = func(*result.Result) error { t.Error("Started"); return nil }
			res, err := x.run()
			wantError(t, err, result.StatusSetup, tt.words...)
			if res != nil {
				t.Errorf("result %+v", res)
			}
			if o, c, s := x.eng.Count(fake.Open), x.eng.Count(fake.Close), x.eng.Count(fake.Start); o != tt.opened || c != o || s != 0 {
				t.Errorf("%d opened, %d closed, %d started", o, c, s)
			}
		})
	}
}

// What each submitter is opened with.
func TestConfigs(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		x := newRig(t, 5, 2)
		if _, err := x.run(); err != nil {
			t.Fatal(err)
		}
		seeds := map[uint64]bool{}
		for _, s := range x.eng.Submitters() {
			c := s.Config()
			seeds[c.Seed] = true
			if c.Depth != 8 || c.SubmitBatch != 4 || c.CompleteBatch != 4 || c.BufferFD != -1 || c.Polled {
				t.Errorf("config %+v", c)
			}
			if len(c.Files) != 1 || c.Files[0].Blocks != 16 {
				t.Errorf("files %+v", c.Files)
			}
		}
		if len(seeds) != 5 || seeds[x.Spec.Seed] {
			t.Errorf("seeds %v", seeds)
		}
		if p := x.eng.Probes(); !slices.Equal(p, []bool{false}) {
			t.Errorf("probes %v", p)
		}
	})
}

func TestSequentialStarts(t *testing.T) {
	targets := []result.Target{{FD: 10, Blocks: 100}, {FD: 11, Blocks: 7}, {FD: 12, Blocks: 2}}
	r := &run{res: &result.Result{Targets: targets}}
	for _, ts := range [][]int{{0}, {0, 1}, {0, 2}, {2}, {2}} {
		r.res.Placements = append(r.res.Placements, result.Placement{Targets: ts})
	}
	want := [][]engine.File{
		{{FD: 10, Blocks: 100, Start: 0}},
		{{FD: 10, Blocks: 100, Start: 33}, {FD: 11, Blocks: 7, Start: 0}},
		{{FD: 10, Blocks: 100, Start: 66}, {FD: 12, Blocks: 2, Start: 0}},
		{{FD: 12, Blocks: 2, Start: 0}}, // fewer blocks than submitters: they walk together
		{{FD: 12, Blocks: 2, Start: 0}},
	}
	for i := range want {
		if got := r.memberFiles(i); !slices.Equal(got, want[i]) {
			t.Errorf("submitter %d: %+v, want %+v", i, got, want[i])
		}
	}
}

func TestStreamSeeds(t *testing.T) {
	seen := map[uint64]bool{}
	for _, seed := range []uint64{0, 1, 42, 1 << 63, ^uint64(0)} {
		for i := range 1000 {
			s := streamSeed(seed, i)
			if seen[s] {
				t.Fatalf("streamSeed(%d, %d) comes twice", seed, i)
			}
			seen[s] = true
			if s != streamSeed(seed, i) {
				t.Fatal("not repeatable")
			}
		}
	}
}

func TestTargetsAreRefusedBeforeAnythingOpens(t *testing.T) {
	bubble(t, "missing file", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.Targets = append(x.Spec.Targets, x.Spec.Targets[0]+".missing")
		res, err := x.run()
		if res != nil || err == nil || len(x.eng.Probes()) != 0 {
			t.Errorf("%v, %v, probes %v", res, err, x.eng.Probes())
		}
		wantError(t, err, result.StatusSetup, ".missing")
	})
	bubble(t, "CPUs that are not there", func(t *testing.T) {
		x := newRig(t, 1, 1)
		x.Spec.CPUs = "99999"
		_, err := x.run()
		wantError(t, err, result.StatusUsage, "99999")
	})
	bubble(t, "too much memory", func(t *testing.T) {
		x := newRig(t, 2, 1)
		x.System.MemAvailable = 64 << 10
		_, err := x.run()
		wantError(t, err, result.StatusSetup, "buffers need", "depth 8", "lower -d, -b or -n")
		if len(x.eng.Probes()) != 0 {
			t.Error("the kernel was asked all the same")
		}
	})
}
