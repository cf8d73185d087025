package config

import (
	"ringpeak/go/result"
)

// resolver turns values that are right by themselves into a Spec that is right
// as a whole.
type resolver struct {
	values
	notes []result.Note
}

// values are those of a command line by long name; absent when neither given
// nor defaulted.
type values map[string]value

func (v values) num(name string) int64   { return v[name].num }
func (v values) int(name string) int     { return int(v[name].num) }
func (v values) on(name string) bool     { return v[name].num != 0 }
func (v values) text(name string) string { return v[name].text }
func (v values) set(name string) bool    { return v[name].set }

func (r *resolver) note(code, format string, args ...any) {
	r.notes = append(r.notes, result.Notef(code, format, args...))
}

func (r *resolver) resolve(targets []string, newSeed func() uint64) (Request, error) {
	if err := r.checkTargets(targets); err != nil {
		return Request{}, err
	}
	if err := r.contradiction(); err != nil {
		return Request{}, err
	}
	if err := r.checkOutputs(); err != nil {
		return Request{}, err
	}
	spec := r.asGiven(targets, newSeed)
	r.engine(&spec)
	r.clamp(&spec)
	if err := r.times(&spec); err != nil {
		return Request{}, err
	}
	r.withoutEffect()
	return Request{Spec: spec, Style: r.text(nStyle), Outputs: r.outputs(), Notes: r.notes}, nil
}

// asGiven copies what needs no rule.
func (r *resolver) asGiven(targets []string, newSeed func() uint64) result.Spec {
	spec := result.Spec{
		Engine:         result.EngineURing,
		Op:             result.OpRead,
		Targets:        targets,
		Depth:          r.int(nDepth),
		SubmitBatch:    r.int(nSubmit),
		CompleteBatch:  r.int(nComplete),
		BlockSize:      r.num(nBlock),
		Threads:        r.int(nThreads),
		Random:         r.on(nRandom),
		Polled:         r.polled(),
		HybridPoll:     r.on(nHybrid),
		SQPoll:         r.on(nSQPoll),
		SQPollCPU:      -1,
		FixedBuffers:   r.on(nBuffers),
		FixedFiles:     r.on(nFiles),
		RegisteredRing: r.on(nRing),
		Vectored:       r.on(nVectored),
		Restricted:     r.on(nRestricted),
		Direct:         r.on(nDirect),
		Passthrough:    r.on(nPassthrough),
		Follow:         r.on(nFollow),
		HugeFile:       r.text(nHuge),
		RuntimeNS:      r.num(nRuntime),
		IntervalNS:     r.num(nInterval),
		WarmupNS:       r.num(nWarmup),
		Repeat:         r.int(nRepeat),
		UntilSteady:    r.on(nUntilSteady),
		SteadyRoundNS:  r.num(nSteadyRound),
		Rounds:         r.int(nRounds),
		Latency:        r.on(nLatency) || r.set(nHDR),
		LatencyEach:    r.text(nLatency) == "each",
		MaxErrors:      r.num(nMaxErrors),
		Strict:         r.on(nStrict),
		Ceiling:        !r.on(nNoCeiling) && !r.on(nNop),
		Assertions:     r.values[nAssert].list,
		Pinning:        result.Pinning(r.text(nPin)),
		CPUs:           r.text(nCPUs),
		NUMA:           r.on(nNUMA),
	}
	if clock := r.text(nClock); clock != "auto" {
		spec.Clock = result.ClockChoice(clock)
	}
	if spec.SQPoll {
		spec.SQPollIdleMS = r.int(nSQPollIdle)
		if r.set(nSQPollCPU) {
			spec.SQPollCPU = r.int(nSQPollCPU)
		}
	}
	if r.set(nSeed) {
		spec.Seed = uint64(r.num(nSeed))
	} else {
		spec.Seed = newSeed()
	}
	return spec
}

// polled is what was asked for, before the engine has its say. Polling reads
// bypass the page cache, so buffered ones leave nothing to choose; passthrough
// has no page cache, whatever -O says.
func (r *resolver) polled() result.Choice {
	switch {
	case r.text(nPolled) != "auto" && r.on(nPolled), r.on(nHybrid):
		return result.ChoiceYes
	case r.text(nPolled) != "auto", !r.on(nDirect) && !r.on(nPassthrough):
		return result.ChoiceNo
	}
	return result.ChoiceAuto
}

// engine applies what follows from the engine and the operation. An option of
// the peer that has no meaning there is switched off, as the peer does, and
// noted if it was asked for.
func (r *resolver) engine(spec *result.Spec) {
	switch {
	case r.on(nNop):
		spec.Op = result.OpNop
		r.ignore("-N1: a no-op touches no file and no buffer", nPolled, nBuffers, nFiles, nVectored, nHuge, nNUMA)
		spec.Polled = result.ChoiceNo
		spec.FixedBuffers, spec.FixedFiles, spec.Vectored, spec.HugeFile, spec.NUMA = false, false, false, "", false
		if len(spec.Targets) > 0 {
			r.note("targets-unused", "-N1 does not use the targets given: a no-op touches no file")
		}
		spec.Targets = []string{}
	case r.on(nAIO):
		spec.Engine = result.EngineAIO
		r.ignore("-a1: legacy AIO knows neither polling nor anything registered", nPolled, nBuffers, nFiles, nRing, nVectored, nRestricted)
		spec.Polled = result.ChoiceNo
		withoutRing(spec)
	case r.on(nPreadv2):
		spec.Engine = result.EnginePreadv2
		r.ignore("-S1: preadv2 reads one block at a time, into a buffer that nobody registered",
			nDepth, nSubmit, nComplete, nBuffers, nFiles, nRing, nVectored, nRestricted)
		spec.Depth, spec.SubmitBatch, spec.CompleteBatch = 1, 1, 1
		withoutRing(spec)
	}
	if spec.Vectored && spec.FixedBuffers && !spec.Passthrough {
		r.note("option-ignored", "-V1 has no effect with -B1: reads into registered buffers are not vectored; add -B0")
		spec.Vectored = false
	}
}

// withoutRing switches off what only io_uring has.
func withoutRing(spec *result.Spec) {
	spec.FixedBuffers, spec.FixedFiles, spec.RegisteredRing = false, false, false
	spec.Vectored, spec.Restricted = false, false
}

// ignore notes those of the options that were given and asked for something.
func (r *resolver) ignore(because string, names ...string) {
	table := Options()
	var given []string
	for _, name := range names {
		o, v := table.byName(name), r.values[name]
		switch {
		case !v.set || o.implied() && v.num == 0: // auto included
		case o.implied():
			given = append(given, "-"+o.Letter+"1")
		default:
			given = append(given, "-"+o.Letter+v.text)
		}
	}
	switch len(given) {
	case 0:
	case 1:
		r.note("option-ignored", "%s has no effect with %s", given[0], because)
	default:
		r.note("option-ignored", "%s have no effect with %s", join(given), because)
	}
}

// clamp keeps the batches between 1 and the depth.
func (r *resolver) clamp(spec *result.Spec) {
	r.clampBatch("s", nSubmit, &spec.SubmitBatch, spec.Depth)
	r.clampBatch("c", nComplete, &spec.CompleteBatch, spec.Depth)
}

func (r *resolver) clampBatch(letter, name string, batch *int, depth int) {
	asked := *batch
	*batch = min(max(asked, 1), depth)
	switch {
	case !r.set(name) || *batch == asked:
	case asked == 0:
		r.note(name+"-changed", "-%s0 means -%s1: a batch has at least one I/O", letter, letter)
	default:
		r.note(name+"-changed", "-%s%d is more than the depth, so it becomes %d", letter, asked, *batch)
	}
}

// withoutEffect notes the options that are there for old command lines only.
func (r *resolver) withoutEffect() {
	if r.on(nDMAMap) {
		r.note("option-ignored", "-D1 has no effect: no kernel has an interface to map buffers for DMA beforehand")
	}
	if r.set(nTSC) {
		r.note("option-ignored", "-T has no effect: latency is taken from a clock that calibrates itself")
	}
}
