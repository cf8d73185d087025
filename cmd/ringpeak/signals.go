package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"ringpeak/go/result"
)

// watchSignals sends the name of the first SIGINT or SIGTERM to the returned
// channel, which ends a run normally, and closes it, so that whatever was to
// follow sees it as well. The second one exits at once. done restores the
// default handling.
func watchSignals(stderr io.Writer) (stop <-chan string, done func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	first := make(chan string, 1)
	quit := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			first <- signalName(s)
			close(first)
		case <-quit:
			return
		}
		select {
		case <-signals:
			fmt.Fprintln(stderr, "ringpeak: second signal: leaving without draining")
			os.Exit(result.StatusKilled)
		case <-quit:
		}
	}()
	return first, func() {
		signal.Stop(signals)
		close(quit)
	}
}

func signalName(s os.Signal) string {
	if s == syscall.SIGTERM {
		return "TERM"
	}
	return "INT"
}
