package config

import (
	"time"

	"ringpeak/go/result"
)

const (
	// steadyCap ends a run that waits for a steady state and has no -r.
	steadyCap = int64(10 * time.Minute)
	// steadyRounds is the measurement window of SNIA's criteria, which stats
	// applies.
	steadyRounds = 5
)

// times fits interval, rounds, run and repeats into each other.
func (r *resolver) times(spec *result.Spec) error {
	if spec.RuntimeNS == 0 && spec.UntilSteady {
		spec.RuntimeNS = steadyCap
	}
	if spec.RuntimeNS == 0 {
		if spec.Repeat > 1 {
			return result.Errorf(result.StatusUsage, "--repeat %d without -r: the first of them would never end; say with -r how long each is", spec.Repeat)
		}
		return r.rounds(spec)
	}
	if spec.RuntimeNS < minInterval {
		return result.Errorf(result.StatusUsage, "-r/--runtime: %s is too short to measure anything: give at least %s, or 0 to run until Ctrl-C",
			spec.Runtime(), seconds(minInterval))
	}
	if spec.IntervalNS > spec.RuntimeNS {
		if r.set(nInterval) {
			r.note("interval-changed", "--interval %s is longer than the run, so it becomes %s", spec.Interval(), spec.Runtime())
		}
		spec.IntervalNS = spec.RuntimeNS
	}
	return r.rounds(spec)
}

// rounds makes the rounds of the steady state whole intervals.
func (r *resolver) rounds(spec *result.Spec) error {
	asked := spec.SteadyRoundNS
	spec.SteadyRoundNS = (asked + spec.IntervalNS - 1) / spec.IntervalNS * spec.IntervalNS
	if r.set(nSteadyRound) && asked != spec.SteadyRoundNS {
		r.note("steady-round-changed", "--steady-round %s is not a whole number of intervals, so it becomes %s",
			time.Duration(asked), time.Duration(spec.SteadyRoundNS))
	}
	if needs := steadyRounds * spec.SteadyRoundNS; spec.UntilSteady && spec.RuntimeNS < needs {
		return result.Errorf(result.StatusUsage, "--until-steady looks at %d rounds of %s, and -r %s ends before: give at least %s, or make the rounds shorter with --steady-round and --interval",
			steadyRounds, time.Duration(spec.SteadyRoundNS), spec.Runtime(), time.Duration(needs))
	}
	return nil
}
