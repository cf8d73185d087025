// Command ringpeak measures how many I/Os per second a machine pushes through
// io_uring. It parses flags, talks to the terminal and sets the exit status;
// everything else is in the packages below go/.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

// Set by the build.
var (
	version = "0.0.0-unbuilt"
	commit  = "unknown"
)

func main() {
	// A closed stdout is an error to report, not a signal to die from.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args, os.Stdout, os.Stderr))
}
