package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ringpeak/go/assert"
	"ringpeak/go/engine"
	"ringpeak/go/engine/cring"
	"ringpeak/go/result"
)

// ceiling: what the NOPs came to follows from what was counted, and so does
// the share of it.
func (c *checker) ceiling(r *result.Result) {
	n := r.Ceiling
	c.want((n != nil) == r.Spec.Ceiling, "ceiling asked for: %v, and it is %+v", r.Spec.Ceiling, n)
	if n == nil {
		return
	}
	c.want((n.IOPS == nil) == (n.Reason != ""), "ceiling %+v", n)
	c.want((n.IOPS == nil) == (n.Fraction == nil) || r.Summary.WindowNS == 0, "ceiling %+v", n)
	if n.IOPS == nil {
		return
	}
	c.want(n.WindowNS != nil && n.Completed != nil && *n.IOPS == float64(*n.Completed)/(float64(*n.WindowNS)/1e9), "ceiling %+v", n)
	c.want(n.Fraction == nil || *n.Fraction == r.Summary.IOPSMean / *n.IOPS, "ceiling %+v of %g", n, r.Summary.IOPSMean)
}

// asserted: there is an outcome for each condition, and status 5 for a run
// that was fine but for them.
func (c *checker) asserted(r *result.Result) {
	c.want(len(r.Assertions) == len(r.Spec.Assertions), "%d outcomes of %d assertions", len(r.Assertions), len(r.Spec.Assertions))
	failed := false
	for i, a := range r.Assertions {
		failed = failed || !a.Passed
		c.want(i < len(r.Spec.Assertions) && a.Text == r.Spec.Assertions[i], "outcome %d is of %q", i, a.Text)
		c.want(!a.Passed || a.Value != nil || a.State != "", "%q passed unmeasured", a.Text)
		c.want(strings.HasPrefix(a.Outcome, a.Metric), "%q has the outcome %q", a.Text, a.Outcome)
	}
	c.want(!failed || r.End.Status != result.StatusOK, "status 0 with %+v", r.Assertions)
	c.want(failed || r.End.Status != result.StatusAssert, "status 5 with %+v", r.Assertions)
}

// TestReadmeMetrics: the README names every metric.
func TestReadmeMetrics(t *testing.T) {
	_, section, _ := strings.Cut(readme(t), "\n## Assertions in scripts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, name := range assert.Metrics() {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("the section on assertions lacks `%s`", name)
		}
	}
}

// TestPrecedence: a run that ended in an error keeps its status, and every
// failed assertion is told all the same.
func TestPrecedence(t *testing.T) {
	spec := result.Spec{Assertions: []string{"errors==0", "iops>=1", "iops>=1G"}}
	list, err := assert.ParseAll(&spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	for before, after := range map[int]int{result.StatusOK: result.StatusAssert, result.StatusIO: result.StatusIO, result.StatusSetup: result.StatusSetup} {
		r := &result.Result{
			Spec:    spec,
			Summary: result.Summary{WindowNS: 1e9, IOPSMean: 100},
			Errors:  []result.ErrorCount{{Errno: 5, Count: 3}},
			End:     result.End{Status: before},
		}
		if before != result.StatusOK {
			r.End.Error = "before"
		}
		failed := judge(list, r)
		if len(failed) != 2 || len(r.Assertions) != 3 || r.End.Status != after {
			t.Errorf("status %d became %d, %v", before, r.End.Status, failed)
		}
		if own := r.End.Error == "before"; own != (before != result.StatusOK) || r.End.Error == "" {
			t.Errorf("status %d has the error %q", r.End.Status, r.End.Error)
		}
		var b strings.Builder
		if got := tell(&b, &several{failed}); got != result.StatusAssert ||
			b.String() != "ringpeak: assertion failed: errors = 3, wanted == 0\nringpeak: assertion failed: iops = 100, wanted >= 1G\n" {
			t.Errorf("status %d, %s", got, b.String())
		}
	}
}

// several is what errors.Join makes.
type several struct{ list []error }

func (s *several) Error() string   { return "several" }
func (s *several) Unwrap() []error { return s.list }

// TestDiskFullBeforeAssertion: what cannot be written is status 1, also when an
// assertion fails.
func TestDiskFullBeforeAssertion(t *testing.T) {
	needMeasure(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	o := ringpeak(t, "-N1", "-r0.1", "--assert", "iops>=1000G", "--json", "/dev/full")
	if list := complaints(o.stderr); o.status != result.StatusIO || len(list) != 2 || !strings.Contains(list[0], "no space left") || !strings.Contains(list[1], "assertion failed") {
		t.Errorf("status %d: %q", o.status, list)
	}
}

// TestErrorsBeforeAssertions: I/O errors are status 1, and what was asserted of
// them is recorded all the same.
func TestErrorsBeforeAssertions(t *testing.T) {
	needMeasure(t)
	const size = 8 << 20
	dir, _ := place(t)
	file, json := testFile(t, dir, "f", size), filepath.Join(dir, "a.json")
	p := start(t, "-O0", "-r1", "--interval", "100ms", "--assert", "errors==0", "--assert", "iops>0", "--json", json, file)
	p.waitFor("IOPS=")
	if err := os.Truncate(file, size/2); err != nil {
		t.Fatal(err)
	}
	o := p.end()
	list := complaints(o.stderr)
	if o.status != result.StatusIO || len(list) != 2 || !strings.Contains(list[0], "I/Os failed") || !strings.Contains(list[1], "assertion failed: errors = ") {
		t.Errorf("status %d: %q", o.status, list)
	}
	r := documentAt(t, json)
	if r.End.Status != result.StatusIO || r.Assertions[0].Passed || !r.Assertions[1].Passed {
		t.Errorf("%+v, %+v", r.End, r.Assertions)
	}
}

// TestNopsOnPolledRing: what the ceiling of a polled run does. Kernels that
// refuse a NOP there say EINVAL, and nothing else.
func TestNopsOnPolledRing(t *testing.T) {
	needMeasure(t)
	e, err := cring.New()
	if err != nil {
		t.Fatal(err)
	}
	spec := result.Spec{
		Engine: result.EngineURing, Op: result.OpNop, Depth: 8, SubmitBatch: 4, CompleteBatch: 4, Threads: 1,
		BlockSize: 4096, RegisteredRing: true, SQPollCPU: -1,
	}
	done := make(chan struct{})
	go func() { // its thread ends with it
		defer close(done)
		runtime.LockOSThread()
		if err := e.Probe(&spec, true); err != nil {
			t.Error(err)
			return
		}
		s, err := e.Open(engine.Config{Spec: &spec, Polled: true, Depth: 8, SubmitBatch: 4, CompleteBatch: 4, BufferFD: -1})
		if err != nil {
			t.Error(err)
			return
		}
		defer s.Close()
		_, err = s.Batch(100)
		refused := err != nil || len(s.Failures()) > 0
		if err := s.Drain(runLimit); err != nil {
			t.Error(err)
		}
		c := s.Counters()
		if c.Submitted != c.Completed+c.Failed || c.Submitted == 0 {
			t.Errorf("%+v", c)
		}
		for _, f := range s.Failures() {
			if f.Errno.Error() != "invalid argument" {
				t.Errorf("%+v", f)
			}
		}
		t.Logf("refused: %v; %+v", refused, c)
	}()
	<-done
}
