package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ringpeak/go/check"
	"ringpeak/go/engine"
	"ringpeak/go/engine/fake"
	"ringpeak/go/result"
	"ringpeak/go/stats"
)

const blockSize = 4096

// observer calls functions; nil ones are passed over.
type observer struct {
	started  func(*result.Result) error
	interval func(*result.Result, *result.Interval) error
}

func (o *observer) Started(r *result.Result) error {
	if o.started == nil {
		return nil
	}
	return o.started(r)
}

func (o *observer) Interval(r *result.Result, iv *result.Interval) error {
	if o.interval == nil {
		return nil
	}
	return o.interval(r, iv)
}

// rig is a run that is about to happen on a fake engine: 100 ms in intervals
// of 20 ms, one submitter, one file.
type rig struct {
	Options
	*observer
	t    *testing.T
	eng  *fake.Engine
	stop chan string
	// script is what submitter i does; the polling probe is submitter -1.
	script func(i int) fake.Script
	took   time.Duration
}

// newRig makes a rig with that many target files; none is a run of NOPs.
func newRig(t *testing.T, submitters, files int) *rig {
	t.Helper()
	x := &rig{t: t, observer: &observer{}, stop: make(chan string, 1)}
	x.Spec = result.Spec{
		Engine: result.EngineURing, Op: result.OpRead, BlockSize: blockSize,
		Depth: 8, SubmitBatch: 4, CompleteBatch: 4, Threads: submitters,
		Random: true, Seed: 42, Polled: result.ChoiceNo, SQPollCPU: -1,
		RuntimeNS: int64(100 * time.Millisecond), IntervalNS: int64(20 * time.Millisecond),
		Pinning: result.PinNone,
	}
	if files == 0 {
		x.Spec.Op = result.OpNop
	}
	for i := range files {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("file%d", i))
		if err := os.WriteFile(path, make([]byte, 16*blockSize), 0o600); err != nil {
			t.Fatal(err)
		}
		x.Spec.Targets = append(x.Spec.Targets, path)
	}
	x.script = func(int) fake.Script { return fake.Script{} }
	x.eng = fake.New(func(c engine.Config) fake.Script { return x.script(x.index(c.Seed)) })
	x.Engine, x.Observer, x.Stop = x.eng, x.observer, x.stop
	x.DrainTimeout = 300 * time.Millisecond
	return x
}

// only makes submitter i follow a script and leaves the others alone.
func (x *rig) only(i int, s fake.Script) {
	x.script = func(j int) fake.Script {
		if i == j {
			return s
		}
		return fake.Script{}
	}
}

// index finds a submitter by the seed of its stream.
func (x *rig) index(seed uint64) int {
	for i := range x.Spec.Threads {
		if seed == streamSeed(x.Spec.Seed, i) {
			return i
		}
	}
	return -1
}

// run runs, and checks what holds for every run.
func (x *rig) run() (*result.Result, error) {
	x.t.Helper()
	began := time.Now()
	res, err := Run(x.Options)
	x.took = time.Since(began)
	if v := x.eng.Violations(); len(v) > 0 {
		x.t.Errorf("the rules of engine.Submitter were broken: %v", v)
	}
	var e *result.Error
	if err != nil && !errors.As(err, &e) {
		x.t.Errorf("error without a status: %v", err)
	}
	if res == nil {
		return nil, err
	}
	if (err == nil) != (res.End.Status == result.StatusOK) || (err != nil && (res.End.Status != e.Status || res.End.Error != e.Text)) {
		x.t.Errorf("End is %+v, the error is %v", res.End, err)
	}
	x.checkSums(res)
	return res, err
}

// checkSums: the totals of intervals, submitters and summary are the same
// counters, and nobody counts what did not happen.
func (x *rig) checkSums(res *result.Result) {
	x.t.Helper()
	var byInterval, bySubmitter result.Counters
	var at, window int64
	for i := range res.Intervals {
		iv := &res.Intervals[i]
		var sum result.Counters
		for _, c := range iv.Submitters {
			sum = sum.Add(c)
		}
		if sum != iv.Total || len(iv.Submitters) != x.Spec.Threads {
			x.t.Errorf("interval %d: total %+v, submitters add up to %+v", i, iv.Total, sum)
		}
		if i > 0 && iv.Repeat != res.Intervals[i-1].Repeat {
			window, at = window+at, 0
		}
		if iv.Warmup {
			x.t.Errorf("interval %d is of the warm-up", i)
		}
		if iv.StartNS != at {
			x.t.Errorf("interval %d starts at %d, the one before ended at %d", i, iv.StartNS, at)
		}
		x.checkTargets(fmt.Sprint("interval ", i), iv.Targets, sum)
		at += iv.LengthNS
		byInterval = byInterval.Add(sum)
	}
	at += window
	for _, c := range res.PerSubmitter {
		bySubmitter = bySubmitter.Add(c)
	}
	x.checkTargets("window", res.PerTarget, byInterval)
	if s := res.Summary; s.Total != byInterval || s.Total != bySubmitter || s.WindowNS != at {
		x.t.Errorf("summary %+v over %d ns, by interval %+v over %d ns, by submitter %+v", s.Total, s.WindowNS, byInterval, at, bySubmitter)
	}
	if want := float64(byInterval.Completed) / (float64(at) / 1e9); at > 0 && res.Summary.IOPSMean != want {
		x.t.Errorf("mean %v, want completions over measured time, %v", res.Summary.IOPSMean, want)
	}
	if s := res.Summary; len(res.Intervals) > 0 && s.InFlightBefore+s.Total.Submitted != s.Total.Completed+s.Total.Failed+s.InFlightAfter {
		x.t.Errorf("the window does not balance: %+v", s)
	}
	wantState := result.CheckPass
	if !res.End.Drained {
		wantState = result.CheckFail
	}
	if c := checkOf(res, "accounting"); c.State != wantState {
		x.t.Errorf("drained %v, check %+v", res.End.Drained, c)
	}
	for _, c := range res.Checks {
		if (c.State == result.CheckPass) != (c.Advice == "") {
			x.t.Errorf("advice of %+v", c)
		}
		if !slices.Contains(check.Codes(), c.Code) {
			x.t.Errorf("check %q is not in the list", c.Code)
		}
	}
}

// checkTargets: what is counted by target adds up to the totals; of NOPs there is none.
func (x *rig) checkTargets(what string, targets []result.TargetCounters, total result.Counters) {
	x.t.Helper()
	var sum result.TargetCounters
	for _, c := range targets {
		sum = sum.Add(c)
	}
	want := result.TargetCounters{Completed: total.Completed, Failed: total.Failed, Bytes: total.Bytes}
	if !x.Spec.NeedsTarget() {
		want = result.TargetCounters{}
	}
	if sum != want || len(targets) != len(x.Spec.Targets) {
		x.t.Errorf("%s: targets %+v add up to %+v, the total is %+v", what, targets, sum, want)
	}
}

func checkOf(res *result.Result, code string) result.Check {
	for _, c := range res.Checks {
		if c.Code == code {
			return c
		}
	}
	return result.Check{}
}

// wantError checks the status of an error and what its sentence says.
func wantError(t *testing.T, err error, status int, words ...string) {
	t.Helper()
	var e *result.Error
	if !errors.As(err, &e) {
		t.Errorf("got %v, want an error of status %d", err, status)
		return
	}
	if e.Status != status {
		t.Errorf("status %d, want %d: %s", e.Status, status, e.Text)
	}
	for _, w := range words {
		if !strings.Contains(e.Text, w) {
			t.Errorf("%q is not in %q", w, e.Text)
		}
	}
}

// bubble runs a test, or a subtest if it has a name, in virtual time. Goroutines that outlive it fail it.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	if name == "" {
		synctest.Test(t, f)
		return
	}
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

func rateOf(iv *result.Interval) float64 { return stats.IntervalRates(iv).IOPS }

// release ends hangs and waits until their goroutines are gone: time in a
// bubble stands still once its test has returned.
func (x *rig) release() {
	x.eng.Release()
	time.Sleep(time.Minute)
}
