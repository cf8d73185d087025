package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ringpeak/go/result"
)

// echo is how long after the first signal another one is the same: timeout(1)
// sends it to the process and then to its group.
const echo = 200 * time.Millisecond

// watchSignals sends the name of the first SIGINT, SIGTERM or SIGHUP to the
// returned channel, which ends a run normally, and closes it, so that whatever
// was to follow sees it as well. A second SIGINT or SIGTERM exits at once, after
// a call of leave unless that is nil, and so does a SIGQUIT. A terminal that is
// closed may send several SIGHUPs, and they are one; who ignores them, as
// nohup(1) does, gets none. done restores the default handling.
func watchSignals(stderr io.Writer, leave func()) (stop <-chan string, done func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	first := make(chan string, 1)
	quit := make(chan struct{})
	go func() {
		var came time.Time
		for {
			select {
			case s := <-signals:
				switch {
				case came.IsZero() && s != syscall.SIGQUIT:
					came = time.Now()
					first <- signalName(s)
					close(first)
				case s == syscall.SIGQUIT || s != syscall.SIGHUP && time.Since(came) > echo:
					fmt.Fprintln(stderr, "ringpeak: leaving at once, without draining")
					if leave != nil {
						leave()
					}
					os.Exit(result.StatusKilled)
				}
			case <-quit:
				return
			}
		}
	}()
	return first, func() {
		signal.Stop(signals)
		close(quit)
	}
}

func signalName(s os.Signal) string {
	switch s {
	case syscall.SIGTERM:
		return "TERM"
	case syscall.SIGHUP:
		return "HUP"
	}
	return "INT"
}
