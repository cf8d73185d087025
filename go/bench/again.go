package bench

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
)

// What is waited for before each further try: 0.6 s in all.
const (
	againFirst = 10 * time.Millisecond
	againTries = 6
)

// openPatiently is openCrew for a run that has closed rings before. The kernel
// frees a closed ring in the background, after a grace period of RCU, and with
// it what it counts against the user's limit on locked memory: what does not
// fit now may fit a moment later.
func (r *run) openPatiently() error {
	err := r.openCrew()
	wait := againFirst
	for try := 0; r.ringsClosed && try < againTries && noMemory(err); try++ {
		select {
		case r.stopped = <-r.Stop:
			return errTooEarly
		case <-time.After(wait):
		}
		wait *= 2
		err = r.openCrew()
	}
	return err
}

// noMemory says whether the kernel lacked memory, or the user's limit did.
func noMemory(err error) bool {
	var e *engine.Error
	return errors.As(err, &e) && e.Errno == unix.ENOMEM && e.Step != engine.StepMemory
}
