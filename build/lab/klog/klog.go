// Package klog judges a kernel log: it finds the lines after which a test run must not count as passed. It knows
// text only; of ours it imports build/lab/plan.
package klog

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"ringpeak/build/lab/plan"
)

// A rule matches the message, without its time stamp.
type rule struct {
	name string
	re   *regexp.Regexp
}

// Messages are the kernel's own of 5.10 to 7.x. Where wording changed over time both are here.
var rules = []rule{
	{"panic", regexp.MustCompile(`^Kernel panic - `)},
	{"oops", regexp.MustCompile(`^Oops\b|^BUG: |^kernel BUG at |^general protection fault|^Internal error:|^stack segment: |^invalid opcode: |^divide error: |^traps: PANIC|[Uu]nable to handle (kernel|page fault)`)},
	{"lockup", regexp.MustCompile(`soft lockup|hard LOCKUP|hung_task: `)},
	{"warning", regexp.MustCompile(`^WARNING: |^-+\[ cut here \]-+|^INFO: possible |^INFO: suspicious `)},
	{"sanitizer", regexp.MustCompile(`^(UBSAN|KASAN|KCSAN|KFENCE): |^refcount_t: |^list_(add|del) corruption`)},
	{"hung task", regexp.MustCompile(`^INFO: task .* blocked for more than `)},
	{"RCU stall", regexp.MustCompile(`^(rcu: )?INFO: rcu\w* (self-)?detected stall|^rcu: .*detected (expedited )?stall|rcu\w* kthread (timer wakeup didn't happen|starved)`)},
	{"out of memory", regexp.MustCompile(`^Out of memory|invoked oom-killer|page allocation (failure|stalls)`)},
	{"I/O error", regexp.MustCompile(`\bI/O error\b|^blk_update_request: |(critical|recovered) (medium|target|space allocation) error|protection error, dev |[Tt]imeout error, dev `)},
	{"block time-out", regexp.MustCompile(`\btimeout, (aborting|reset|disable|completion polled)|\bI/O (tag )?\d+ .*\btimeout\b|\brq \S+ timed out|controller is down; will reset|Device not ready; aborting`)},
	{"file system", regexp.MustCompile(`^EXT4-fs error`)},
}

var stamp = regexp.MustCompile(`^(<\d+>)?\[ *\d+\.\d+\](\[ *[TC]\d+\])? `)

// Finding is one bad line.
type Finding struct {
	Rule  string
	Line  int    // counted from 1
	Text  string // as it stands in the log
	After string // the lab's last mark before it: what was running
}

// Scan reads a log. The lab's own marks are not judged: they name commands, which may contain anything. A line that an expression of allowed matches is passed over.
func Scan(r io.Reader, allowed []*regexp.Regexp) ([]Finding, error) {
	var found []Finding
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	after := ""
	for n := 1; s.Scan(); n++ {
		line := strings.TrimRight(s.Text(), "\r")
		message := stamp.ReplaceAllString(line, "")
		if strings.HasPrefix(message, plan.Mark) {
			after = strings.TrimPrefix(message, plan.Mark)
			continue
		}
		name := judge(message)
		if name == "" || matches(allowed, line) {
			continue
		}
		found = append(found, Finding{name, n, line, after})
	}
	return found, s.Err()
}

func judge(message string) string {
	for _, r := range rules {
		if r.re.MatchString(message) {
			return r.name
		}
	}
	return ""
}

func matches(res []*regexp.Regexp, line string) bool {
	for _, re := range res {
		if re.MatchString(line) {
			return true
		}
	}
	return false
}
