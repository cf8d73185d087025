package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ringpeak/build/lab/plan"
)

// bad are commands that must not pass, each with what the lab must say about it. The last one ends the guest.
var bad = []struct {
	name    string
	argv    []string
	timeout time.Duration
	want    string
}{
	{"failing", []string{"/init", "no-such-tool"}, 10 * time.Second, "failing: status 1"},
	{"hanging", []string{"/init", "sleep", "1h"}, time.Second, "hanging: timed out after 1 s"},
	{"warning", []string{"/init", "kmsg", "WARNING: CPU: 0 PID: 1 at lab/selfcheck.c:1"}, 10 * time.Second, `warning, after "begin warning": [`},
	{"I/O error", []string{"/init", "kmsg", "I/O error, dev nvme0n1, sector 0"}, 10 * time.Second, `I/O error, after "begin I/O error": [`},
	{"time-out", []string{"/init", "kmsg", "nvme nvme0: I/O 1 QID 1 timeout, aborting"}, 10 * time.Second, `block time-out, after "begin time-out": [`},
	{"dying", []string{"/init", "sysrq", "c"}, 20 * time.Second, `panic, after "begin dying": [`},
	{"dying", nil, 0, "the guest ended before it had run everything"},
}

// selfCheck shows that a real guest's faults are noticed. That each of them alone makes a run fail, and that a good
// guest passes, is for the unit tests and for `lab run`.
func (l *lab) selfCheck(ctx context.Context) (int, error) {
	var jobs []plan.Job
	for _, b := range bad {
		if b.argv != nil {
			jobs = append(jobs, plan.Job{Name: b.name, Argv: b.argv, Timeout: b.timeout})
		}
	}
	out, err := l.boot(ctx, plan.Plan{Jobs: jobs}, nil, func(plan.Event) {})
	if err != nil {
		return 4, err
	}
	said := out.faults()
	for i, j := range jobs {
		if e, ok := out.ends[i]; ok && (e.Status != 0 || e.TimedOut) {
			said = append(said, j.Name+": "+failure(e))
		}
	}
	missed := 0
	for _, b := range bad {
		if !strings.Contains(strings.Join(said, "\n"), b.want) {
			missed++
			l.say("FAIL", "a guest that is %s: the lab did not say %q", b.name, b.want)
		}
	}
	if missed > 0 {
		return 1, fmt.Errorf("%d of %d faults were not noticed; the lab said:\n%s", missed, len(bad), strings.Join(said, "\n"))
	}
	l.say("PASS", "kernel %s: the lab notices what it should (%d faults provoked)", l.kernel, len(bad))
	return 0, nil
}
