package bench

import (
	"runtime"
	"sync"

	"ringpeak/go/affinity"
	"ringpeak/go/result"
)

// feed passes intervals to the observer on a goroutine of its own: a reader of
// the output who pauses must hold up neither the clock nor a signal. Nothing
// in it allocates.
type feed struct {
	mu     sync.Mutex
	warm   []result.Interval // published so far; they do not change any more
	all    []result.Interval // likewise, of the window, which come after them
	wake   chan struct{}
	done   chan struct{}
	broken chan error // the observer's first error; it is told no more then
}

// newFeed starts the goroutine, beside the submitters' CPUs if it can.
func (r *run) newFeed() *feed {
	f := &feed{
		wake:   make(chan struct{}, 1),
		done:   make(chan struct{}),
		broken: make(chan error, 1),
	}
	go func() {
		defer close(f.done)
		if r.Spec.Pinning != result.PinNone && len(r.plan.Spare) > 0 {
			runtime.LockOSThread() // never unlocked: the thread ends here
			_ = affinity.PinTo(r.plan.Spare)
		}
		f.run(func(iv *result.Interval) error { return r.Observer.Interval(r.res, iv) })
	}()
	return f
}

func (f *feed) run(tell func(*result.Interval) error) {
	warmed, next := 0, 0
	for range f.wake {
		f.mu.Lock()
		warm, all := f.warm, f.all
		f.mu.Unlock()
		var err error
		for ; warmed < len(warm) && err == nil; warmed++ {
			err = tell(&warm[warmed])
		}
		for ; next < len(all) && err == nil; next++ {
			err = tell(&all[next])
		}
		if err != nil {
			f.broken <- err
			return
		}
	}
}

// publishWarmup is publish for what comes before the window.
func (f *feed) publishWarmup(warm []result.Interval) {
	f.mu.Lock()
	f.warm = warm
	f.mu.Unlock()
	f.rouse()
}

// publish makes the intervals known and does not wait.
func (f *feed) publish(all []result.Interval) {
	f.mu.Lock()
	f.all = all
	f.mu.Unlock()
	f.rouse()
}

func (f *feed) rouse() {
	select {
	case f.wake <- struct{}{}:
	default: // it is awake, or about to be
	}
}

// finish waits until the observer was told everything, and returns the error
// that nobody has received yet.
func (f *feed) finish() error {
	close(f.wake)
	<-f.done
	select {
	case err := <-f.broken:
		return err
	default:
		return nil
	}
}
