package report

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
)

// maxFioJobs is how many submitters an equivalent command spells out.
const maxFioJobs = 8

// fioCommand is the fio command line that asks for the same I/O, so that two
// tools are compared with the same settings; nil where fio has no such thing.
// Its options are those of fio 3.33's documentation. fio draws its own offsets
// and measures in its own way.
func fioCommand(r *result.Result) []string {
	s, g := &r.Spec, &r.Granted
	if !s.NeedsTarget() || len(r.Placements) > maxFioJobs {
		return nil
	}
	if !s.Random && len(r.Placements) > len(r.Targets) {
		return nil // its jobs would all begin at 0
	}
	if slices.ContainsFunc(r.Targets, func(t result.Target) bool { return t.Renamed }) {
		return nil // nobody can open it any more
	}
	args := []string{"fio", "--thread", "--norandommap", "--group_reporting"}
	add := func(format string, values ...any) { args = append(args, fmt.Sprintf(format, values...)) }
	order := "randread"
	if !s.Random {
		order = "read"
	}
	add("--rw=%s", order)
	add("--bs=%d", s.BlockSize)
	if !s.Passthrough {
		add("--direct=%d", bit(s.Direct))
		if !s.Direct {
			add("--invalidate=0")
		}
	}
	if s.RuntimeNS > 0 {
		add("--time_based")
		add("--runtime=%d", max(1, (s.RuntimeNS+999_999_999)/1_000_000_000))
	}
	if s.WarmupNS > 0 {
		add("--ramp_time=%dms", (s.WarmupNS+999_999)/1_000_000)
	}
	switch s.Engine {
	case result.EngineAIO:
		add("--ioengine=libaio")
	case result.EnginePreadv2:
		add("--ioengine=pvsync2")
		add("--hipri=%d", bit(g.Polled))
	default:
		if s.Passthrough {
			add("--ioengine=io_uring_cmd")
			add("--cmd_type=nvme")
		} else {
			add("--ioengine=io_uring")
		}
		add("--hipri=%d", bit(g.Polled))
		add("--fixedbufs=%d", bit(g.FixedBuffers))
		add("--registerfiles=%d", bit(g.FixedFiles))
		add("--nonvectored=%d", bit(!s.Vectored))
		add("--sqthread_poll=%d", bit(s.SQPoll))
	}
	if s.Engine != result.EnginePreadv2 {
		add("--iodepth=%d", s.Depth)
		add("--iodepth_batch_submit=%d", s.SubmitBatch)
		add("--iodepth_batch_complete_min=%d", s.CompleteBatch)
	}
	for i := range r.Placements {
		add("--name=submitter%d", i)
		add("--filename=%s", fioFiles(r, &r.Placements[i]))
		if cpu := r.Placements[i].CPU; cpu >= 0 {
			add("--cpus_allowed=%d", cpu)
		}
	}
	return shellWords(args)
}

// fioFiles lists a submitter's targets as fio reads them: a colon separates
// names, and one inside a name is escaped.
func fioFiles(r *result.Result, p *result.Placement) string {
	var names []string
	for _, t := range p.Targets {
		if t < len(r.Targets) {
			names = append(names, strings.ReplaceAll(r.Targets[t].Path, ":", `\:`))
		}
	}
	return strings.Join(names, ":")
}
