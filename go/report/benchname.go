package report

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ringpeak/go/result"
)

// benchSetting is one part /key=value of a benchmark's name.
type benchSetting struct{ key, value string }

// benchSettings are what a run did, as far as a comparison with another run of
// the same name asks for: the work and the ways of doing it, as they were in
// force. The common ones are always there, so that benchstat can make columns
// of them; the others when they are not the default. How long was measured and
// how often is none of them. The last is always a flag: a name that ends in
// -4, as a list of CPUs can, would be read as one of four GOMAXPROCS.
func benchSettings(r *result.Result) []benchSetting {
	s, g := &r.Spec, &r.Granted
	var list []benchSetting
	add := func(key, value string) { list = append(list, benchSetting{key, value}) }
	number := func(key string, n int64) { add(key, strconv.FormatInt(n, 10)) }
	flag := func(key string, on bool) { add(key, map[bool]string{true: "1", false: "0"}[on]) }
	unless := func(usual bool, key, value string) {
		if !usual {
			add(key, value)
		}
	}
	if s.NeedsTarget() {
		add("target", targetNames(r))
		number("bs", s.BlockSize)
	}
	number("depth", int64(s.Depth))
	number("submit", int64(s.SubmitBatch))
	number("complete", int64(s.CompleteBatch))
	number("submitters", int64(s.Threads))
	unless(s.Engine == result.EngineURing, "engine", string(s.Engine))
	unless(s.Random || !s.NeedsTarget(), "random", "0")
	unless(!s.Passthrough, "passthrough", "1")
	unless(s.Direct || !s.NeedsTarget(), "direct", "0")
	unless(!s.Vectored, "vectored", "1")
	unless(!s.Restricted, "restricted", "1")
	unless(s.RegisteredRing || s.Engine != result.EngineURing, "regring", "0")
	unless(!s.HybridPoll, "hybrid", "1")
	if s.SQPoll {
		flag("sqpoll", true)
		unless(s.SQPollCPU < 0, "sqpollcpu", strconv.Itoa(s.SQPollCPU))
		unless(s.SQPollIdleMS == 1000, "sqpollidle", strconv.Itoa(s.SQPollIdleMS))
	}
	unless(s.HugeFile == "", "hugefile", "1")
	unless(s.Rounds == 0, "rounds", strconv.Itoa(s.Rounds))
	unless(!s.Latency || s.LatencyEach, "latency", "1")
	unless(!s.LatencyEach, "latency", "each")
	unless(s.Clock == result.ClockAuto || !s.Latency, "clock", string(s.Clock))
	unless(s.CPUs == "", "cpus", s.CPUs)
	unless(s.Pinning != result.PinNone, "pin", "none")
	unless(!s.NUMA, "numa", "1")
	unless(g.FixedFiles || !s.NeedsTarget(), "fixedfiles", "0")
	if s.NeedsTarget() {
		flag("fixedbufs", g.FixedBuffers)
	}
	flag("polled", g.Polled)
	return list
}

// maxTargetNames is how long the names of targets may be in all: readers of
// the format take lines of up to 64 KiB.
const maxTargetNames = 300

// targetNames are the last parts of the targets' paths, joined with "+". Many
// are the first, how many more, and a sum over all names, so that other
// targets make another name.
func targetNames(r *result.Result) string {
	var names []string
	for i := range r.Targets {
		names = append(names, filepath.Base(r.Targets[i].Path))
	}
	if len(names) == 0 { // not opened yet
		for _, path := range r.Spec.Targets {
			names = append(names, filepath.Base(path))
		}
	}
	all := strings.Join(names, "+")
	if len(names) > 1 && len(all) > maxTargetNames {
		return fmt.Sprintf("%s+%dmore_%08x", names[0], len(names)-1, crc32.ChecksumIEEE([]byte(all)))
	}
	return all
}

// benchName is the name of a run's benchmark, without the word that begins
// the line. without are keys of settings that are left out.
func benchName(r *result.Result, without, extra []string) string {
	var b strings.Builder
	op := string(r.Spec.Op)
	b.WriteString(strings.ToUpper(op[:1]) + op[1:])
	for _, s := range benchSettings(r) {
		if !slices.Contains(without, s.key) {
			b.WriteString("/" + s.key + "=" + benchPart(s.value))
		}
	}
	for _, part := range extra {
		b.WriteString("/" + benchPart(part))
	}
	return noProcs.ReplaceAllString(b.String(), "_$1")
}

// noProcs is the end of a name that would be read as GOMAXPROCS.
var noProcs = regexp.MustCompile(`-(\d+)$`)

// benchPart is s without what a part of a name cannot hold: white space, which
// ends the name, and "/", which ends the part.
func benchPart(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, s)
}

// DifferingSettings are the keys of those settings in the names of runs in
// which they differ. Where something else in the name tells them apart, they
// may be left out: else no two of the names would be alike without it.
func DifferingSettings(runs ...*result.Result) []string {
	alike := map[benchSetting]int{} // in how many runs
	var differ []string
	for _, r := range runs {
		for _, s := range benchSettings(r) {
			alike[s]++
		}
	}
	for _, r := range runs {
		for _, s := range benchSettings(r) {
			if alike[s] < len(runs) && !slices.Contains(differ, s.key) {
				differ = append(differ, s.key)
			}
		}
	}
	return differ
}
