package bench

import (
	"runtime/debug"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// measureAndCollect warms up, runs the window of one repeat and puts what came
// of it into the result. What is read before the window is read while the
// submitters are warm, so that it is of the window alone. The error, if any,
// is the one to tell people; the result is complete anyway.
func (r *run) measureAndCollect() error {
	r.lookBefore()
	r.openMeter()
	defer r.meter.Close()
	// Collection would interrupt the submitters' CPUs. The memory limit stays
	// in force.
	debug.FreeOSMemory()
	percent := debug.SetGCPercent(-1)
	out := r.newFeed()
	restore := r.standAside()
	end := r.warmUp(out)
	r.lookWarm()
	if end.reason == "" {
		end = r.measure(out)
	}
	restore()
	r.lookAtEnd()
	drained := r.crew.stop(r.DrainTimeout)
	r.lookAfter()
	if err := out.finish(); err != nil && end.err == nil {
		end.err = observerError(err)
	}
	debug.SetGCPercent(percent)
	res := r.res
	res.End = result.End{Reason: end.reason, Signal: end.signal, Drained: drained}
	res.Summary = stats.Summarise(res.Intervals)
	res.Summary.InFlightBefore, res.Summary.InFlightAfter = r.inFlightBefore, r.inFlightAfter
	res.PerSubmitter = stats.SumSubmitters(res.Intervals)
	res.PerTarget = stats.SumTargets(res.Intervals, len(res.Targets))
	r.timeSplit()
	res.Errors = r.failures()
	r.failed += countErrors(res.Errors)
	err := r.verdict(end)
	if res.Spec.Latency {
		if lerr := r.latency(); lerr != nil && err == nil {
			err = lerr
		}
	}
	r.check(err)
	r.checkSteady()
	r.reckonUsage()
	r.crew.close()
	return err
}
