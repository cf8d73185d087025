package sysfs

import (
	"fmt"
	"strconv"
	"strings"
)

// TickNS is the unit of the times in /proc/stat and /proc/PID/stat in
// nanoseconds: 1/USER_HZ, which is 100 on every architecture that Go knows.
const TickNS = 10_000_000

// Task is what the kernel has counted for one thread since it began.
type Task struct {
	// From stat (proc(5)). Without exact accounting in the kernel's
	// configuration, whether a thread is in user space is looked at once per
	// timer interrupt; the two are scaled so that their sum is the run time.
	MinorFaults, MajorFaults Int // fields 10 and 12
	UserTicks, SystemTicks   Int // fields 14 and 15, in ticks of TickNS

	// From status: voluntary_ctxt_switches are those of a thread that waits
	// for something, nonvoluntary_ctxt_switches those of one that has to go.
	Voluntary, Involuntary Int

	// From schedstat: on a CPU, and ready to run but not on one; how often it
	// got on one. All three are Absent when the kernel does not account
	// (CONFIG_SCHED_INFO), which it shows by three zeros. The time of a thread
	// that runs is as old as its last timer interrupt.
	RunNS, WaitNS, Slices Int

	// From sched, se.nr_migrations: changes of the CPU. The file needs
	// CONFIG_SCHED_DEBUG up to 6.14.
	Migrations Int
}

// Task reads the four files of a thread of this process in
// /proc/self/task/TID. Every field is Absent when the thread has ended.
func (t Tree) Task(tid int) Task {
	dir := t.path("proc/self/task", strconv.Itoa(tid))
	var out Task
	out.parseSchedstat(readText(dir+"/schedstat"), dir+"/schedstat")
	status := readText(dir + "/status")
	out.Voluntary = number(field(status, "voluntary_ctxt_switches"), dir+"/status")
	out.Involuntary = number(field(status, "nonvoluntary_ctxt_switches"), dir+"/status")
	out.parseStat(readText(dir+"/stat"), dir+"/stat")
	out.Migrations = number(field(readText(dir+"/sched"), "se.nr_migrations"), dir+"/sched")
	return out
}

func number(text Text, path string) Int {
	return parseAttr(text, path, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
}

// parseStat takes the fields behind the name, which is in parentheses and may
// contain anything.
func (k *Task) parseStat(text Text, path string) {
	for at, dst := range map[int]*Int{10: &k.MinorFaults, 12: &k.MajorFaults, 14: &k.UserTicks, 15: &k.SystemTicks} {
		*dst = parseAttr(text, path, func(s string) (int64, error) {
			words := strings.Fields(s[strings.LastIndex(s, ")")+1:])
			if len(words) <= at-3 {
				return 0, fmt.Errorf("no field %d", at)
			}
			return strconv.ParseInt(words[at-3], 10, 64)
		})
	}
}

func (k *Task) parseSchedstat(text Text, path string) {
	all := parseAttr(text, path, func(s string) ([3]int64, error) {
		var v [3]int64
		words := strings.Fields(s)
		if len(words) != len(v) {
			return v, fmt.Errorf("%d numbers instead of 3", len(words))
		}
		var err error
		for i, w := range words {
			if v[i], err = strconv.ParseInt(w, 10, 64); err != nil {
				return v, err
			}
		}
		return v, nil
	})
	if all.OK() && all.Value == [3]int64{} {
		all = Attr[[3]int64]{}
	}
	for i, dst := range []*Int{&k.RunNS, &k.WaitNS, &k.Slices} {
		*dst = Int{Value: all.Value[i], State: all.State, Err: all.Err}
	}
}
