package bench

import (
	"fmt"
	"sort"
	"syscall"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// failureKey is one way to fail on one target; -1 is none, for NOP.
type failureKey struct {
	target int
	errno  syscall.Errno
	status uint32 // NVMe
}

// failures adds up the failures of all submitters by target and kind, the
// most frequent first.
func (r *run) failures() []result.ErrorCount {
	sum := map[failureKey]uint64{}
	for i, m := range r.crew.members {
		for _, f := range m.sub.Failures() {
			sum[r.keyOf(i, f)] += f.Count
		}
	}
	list := []result.ErrorCount{}
	for k, n := range sum {
		list = append(list, k.count(r.targetPath(k.target), n))
	}
	sortErrors(list)
	return list
}

func countErrors(list []result.ErrorCount) uint64 {
	var n uint64
	for _, e := range list {
		n += e.Count
	}
	return n
}

// sortErrors puts the most frequent first.
func sortErrors(list []result.ErrorCount) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case a.Count != b.Count:
			return a.Count > b.Count
		case a.Target != b.Target:
			return a.Target < b.Target
		case a.Errno != b.Errno:
			return a.Errno < b.Errno
		}
		return a.NVMe < b.NVMe
	})
}

func (r *run) keyOf(submitter int, f engine.Failure) failureKey {
	k := failureKey{target: -1, errno: f.Errno, status: f.Status}
	if targets := r.res.Placements[submitter].Targets; f.File < len(targets) {
		k.target = targets[f.File]
	}
	return k
}

// count words a kind of failure. An NVMe status is no errno, and neither of
// them is a short read.
func (k failureKey) count(target string, n uint64) result.ErrorCount {
	e := result.ErrorCount{Target: target, Errno: int(k.errno), NVMe: k.status, Count: n}
	switch {
	case k.status != 0:
		e.Name, e.Text = result.DecodeNVMeStatus(k.status).Name, result.DecodeNVMeStatus(k.status).String()
	case k.errno != 0:
		e.Name, e.Text = errnoName(k.errno), k.errno.Error()
	default:
		e.Name = "short read"
	}
	return e
}

// inWords is a kind of failure within a sentence.
func inWords(e *result.ErrorCount) string {
	switch {
	case e.NVMe != 0:
		return "NVMe status " + e.Text
	case e.Errno != 0:
		return fmt.Sprintf("%s (%s)", e.Name, e.Text)
	}
	return "a " + e.Name
}
