package config

import (
	"strings"

	"ringpeak/go/result"
)

// checkTargets looks at the names only.
func (r *resolver) checkTargets(targets []string) error {
	if len(targets) == 0 && !r.on(nNop) {
		return result.Errorf(result.StatusUsage,
			"there is nothing to read: name a block device or a file, or measure no-ops with -N1 (--help lists the options)")
	}
	for _, t := range targets {
		switch t {
		case "":
			return result.Errorf(result.StatusUsage, "a target has an empty name: is a shell variable unset?")
		case "-":
			return result.Errorf(result.StatusUsage, "stdin is no target: name a block device or a file (a file called - is ./-)")
		}
	}
	return nil
}

// contradiction finds options that exclude each other. What the peer merely
// ignores is not one; see engine.
func (r *resolver) contradiction() error {
	uring := !r.on(nAIO) && !r.on(nPreadv2)
	pollingReads := !r.on(nNop) && !r.on(nAIO) && !r.on(nPassthrough)
	for _, c := range []struct {
		found bool
		text  string
	}{
		{r.on(nAIO) && r.on(nPreadv2), "-a1 and -S1 exclude each other: each names the way to read; leave one out"},
		{r.on(nNop) && r.on(nAIO), "-N1 and -a1 exclude each other: legacy AIO has no no-op; leave one out"},
		{r.on(nNop) && r.on(nPreadv2), "-N1 and -S1 exclude each other: preadv2 has no no-op; leave one out"},
		{r.on(nPassthrough) && !uring, "-u1 excludes -a1 and -S1: only io_uring carries NVMe commands; leave one out"},
		{r.on(nPassthrough) && r.on(nNop), "-u1 and -N1 exclude each other: a no-op is no NVMe command; leave one out"},
		{r.on(nSQPoll) && !uring, "--sqpoll excludes -a1 and -S1: only io_uring has a submission thread; leave one out"},
		{r.set(nSQPollCPU) && !r.on(nSQPoll), "--sqpoll-cpu binds a thread that only --sqpoll starts: add --sqpoll, or leave it out"},
		{r.set(nSQPollIdle) && !r.on(nSQPoll), "--sqpoll-idle is of a thread that only --sqpoll starts: add --sqpoll, or leave it out"},
		{r.on(nHybrid) && !uring, "--hybrid-poll excludes -a1 and -S1: only io_uring has it; leave one out"},
		{r.on(nHybrid) && r.on(nNop), "--hybrid-poll and -N1 exclude each other: a no-op completes at once; leave one out"},
		{
			r.on(nHybrid) && r.text(nPolled) != "auto" && !r.on(nPolled),
			"--hybrid-poll and -p0 exclude each other: it is a way to poll; leave one out",
		},
		{
			pollingReads && r.polled() == result.ChoiceYes && !r.on(nDirect),
			r.polledBy() + " and -O0 exclude each other: polling needs direct I/O; leave one out",
		},
	} {
		if c.found {
			return result.Errorf(result.StatusUsage, "%s", c.text)
		}
	}
	return nil
}

// polledBy names the option that asks for polling.
func (r *resolver) polledBy() string {
	if r.on(nHybrid) {
		return "--hybrid-poll"
	}
	return "-p1"
}

// join makes "a, b and c".
func join(list []string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}
