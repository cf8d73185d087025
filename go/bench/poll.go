package bench

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// pollProbeLimit is how long one polled read may take before polling is held
// to be broken there; less where Options.DrainTimeout is.
const pollProbeLimit = 2 * time.Second

// resolvePolling decides whether the run polls. Asked for, it must work on
// every target or the run is refused; left open, it is used where it works
// everywhere, with a note where not.
//
// Polled passthrough without poll queues is accepted by every kernel, which
// then completes by interrupt while it spins. Asked for, that is done, and
// said; --strict refuses it.
func (r *run) resolvePolling() error {
	s := &r.Spec
	if !s.NeedsTarget() || s.Engine == result.EngineAIO || s.Polled == result.ChoiceNo {
		return nil
	}
	for i := range r.res.Targets {
		t := &r.res.Targets[i]
		if t.CanPoll == result.ChoiceYes || t.CanPoll == result.ChoiceAuto && !s.Passthrough {
			if err := r.tryPolledRead(t); err != nil {
				return err
			}
		}
		if t.CanPoll == result.ChoiceYes {
			continue
		}
		why := t.WhyNotPoll
		if why == "" {
			why = "its poll queues could not be counted"
		}
		switch {
		case s.Polled == result.ChoiceYes && s.Passthrough && !s.Strict:
			r.res.Notes = append(r.res.Notes, result.Notef("polled-not-effective",
				"%s: polled as asked, but the kernel will complete by interrupt while it spins: %s", t.Path, why))
		case s.Polled == result.ChoiceYes:
			return result.Errorf(result.StatusSetup, "%s cannot be polled: %s; use -p0 for interrupt-driven reads", t.Path, why)
		default:
			r.res.Notes = append(r.res.Notes, result.Notef("not-polled",
				"interrupt-driven, since %s cannot be polled: %s", t.Path, why))
			return nil
		}
	}
	r.polled = true
	return nil
}

// tryPolledRead makes one polled read of a target: what sysfs says is neither
// necessary (file systems refuse on their own) nor sufficient. Up to 6.10 the
// read succeeds without poll queues, which only sysfs can tell.
func (r *run) tryPolledRead(t *result.Target) error {
	if err := r.Engine.Probe(&r.Spec, true); err != nil {
		return r.explain(err, nil)
	}
	p := &probe{
		limit:  min(pollProbeLimit, r.DrainTimeout),
		opened: make(chan engine.Submitter, 1),
		done:   make(chan error, 1),
		leave:  make(chan struct{}),
		closed: make(chan struct{}),
	}
	go p.read(r.Engine, engine.Config{
		Spec: &r.Spec, Polled: true, Depth: 1, SubmitBatch: 1, CompleteBatch: 1,
		Files:    []engine.File{r.engineFile(t)},
		Seed:     r.Spec.Seed,
		BufferFD: -1,
	})
	err := p.wait()
	r.ringsClosed = true
	var e *engine.Error
	switch {
	case err == nil:
		t.CanPoll, t.WhyNotPoll = result.ChoiceYes, ""
	case errors.Is(err, engine.ErrStuck):
		t.CanPoll = result.ChoiceNo
		t.WhyNotPoll = fmt.Sprintf("a polled read did not complete within %v%s", p.limit, splitHint(t, r.Spec.BlockSize))
	case errors.As(err, &e) && e.Step == engine.StepReap && e.Errno == unix.EOPNOTSUPP:
		t.CanPoll = result.ChoiceNo
		t.WhyNotPoll = "a polled read ends in EOPNOTSUPP: " + refusingLayer(t)
	case errors.As(err, &e) && e.Step == engine.StepReap:
		return r.explainRead(e, t.Path)
	default:
		return r.explain(err, nil)
	}
	return nil
}

// splitHint says that reads of bs bytes are split. Polled, such a read never
// completes on Linux 6.1; it does on 6.12.
func splitHint(t *result.Target, bs int64) string {
	if n := t.MaxSectorsKB; n != nil && t.Kind != result.KindGeneric && bs > *n<<10 {
		return fmt.Sprintf("; reads of %d bytes are split above %d KiB (queue/max_sectors_kb), and some kernels lose them: try -b%dk", bs, *n, *n)
	}
	return ""
}

// refusingLayer names who is likely to have refused a polled read that sysfs
// did not rule out.
func refusingLayer(t *result.Target) string {
	if t.Kind == result.KindFile {
		return fmt.Sprintf("the %s file system does not poll", t.FileSystem)
	}
	return "its driver has no poll queues"
}

// probe is one read on a thread of its own.
type probe struct {
	limit  time.Duration
	opened chan engine.Submitter
	done   chan error
	leave  chan struct{} // closed: wait does not touch the submitter any more
	closed chan struct{}
}

func (p *probe) read(e engine.Engine, c engine.Config) {
	runtime.LockOSThread() // never unlocked: the thread ends here
	defer close(p.closed)
	sub, err := e.Open(c)
	if err != nil {
		p.done <- err
		return
	}
	p.opened <- sub
	_, err = sub.Batch(1)
	if stuck := sub.Drain(p.limit); stuck != nil {
		p.done <- stuck // not closed: some kernels fault
		return
	}
	// A bad block is an answer, too, and the run will count such. What no read
	// would escape came back from Batch, or here when the drain reaped it.
	if list := sub.Failures(); err == nil && len(list) > 0 && list[0].Errno == unix.EOPNOTSUPP {
		err = &engine.Error{Step: engine.StepReap, Errno: list[0].Errno}
	}
	p.done <- err
	<-p.leave
	sub.Close()
}

// wait returns what became of the read, interrupting it when it takes too long.
func (p *probe) wait() error {
	back, err := p.await()
	close(p.leave)
	if back {
		<-p.closed
	}
	return err
}

// await also says whether the reading thread came back at all.
func (p *probe) await() (back bool, err error) {
	var sub engine.Submitter
	late := time.After(p.limit)
	var tick <-chan time.Time
	for kicks := 0; ; {
		select {
		case err := <-p.done:
			return true, err
		case sub = <-p.opened:
		case <-late:
			if sub == nil {
				return false, engine.ErrStuck
			}
			sub.SetPhase(engine.PhaseStop)
			tick = time.Tick(kickEvery)
		case <-tick:
			if kicks++; time.Duration(kicks)*kickEvery > 2*p.limit {
				return false, engine.ErrStuck
			}
			sub.Kick()
		}
	}
}
