package report

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// Started writes the configuration block: what was asked, every default that
// was filled in, what the kernel granted, what is read and from where. Keys
// that t/io_uring prints too have its names and stand together as it prints
// them. A value that differs from what was asked says so.
func (t *Text) Started(r *result.Result) error {
	t.identity(r)
	t.workload(&r.Spec, &r.Granted)
	t.polling(r)
	t.ring(&r.Spec, &r.Granted)
	t.schedule(&r.Spec, r.Started)
	t.clock(r)
	t.targets(r)
	t.threads(r)
	if args := fioCommand(r); args != nil {
		t.out.wrapped("as in fio", args)
	}
	t.out.linef("")
	return t.out.err
}

func (t *Text) identity(r *result.Result) {
	t.out.items("ringpeak", r.Tool.Version, prefixed("commit ", r.Tool.Commit),
		prefixed("liburing ", r.Tool.Liburing), prefixed("core ", short(r.Tool.CoreID)), r.Tool.Go)
	t.out.wrapped("command", shellWords(r.Command))
	s := &r.System
	t.out.items("kernel", strings.TrimSpace(s.Kernel+" "+s.Machine), printable(s.Build))
	t.out.items("cpu", printable(s.CPUModel), fmt.Sprintf("online=%d", s.CPUs), prefixed("allowed=", s.Allowed))
	t.environment(&s.Environment)
}

func (t *Text) workload(s *result.Spec, g *result.Granted) {
	order := "order=random"
	seed := fmt.Sprintf("seed=%d", s.Seed)
	if !s.Random {
		order, seed = "order=sequential", ""
	}
	items := []string{fmt.Sprintf("op=%s", s.Op), prefixed("opcode=", g.Opcode)}
	if s.NeedsTarget() {
		items = append(items, fmt.Sprintf("bs=%d", s.BlockSize), order, seed,
			fmt.Sprintf("vectored=%d", bit(s.Vectored)), fmt.Sprintf("passthrough=%d", bit(s.Passthrough)))
	}
	t.out.items("workload", items...)
	t.out.items("settings",
		fmt.Sprintf("polled=%d", bit(g.Polled)),
		granted("fixedbufs", g.FixedBuffers, s.FixedBuffers),
		granted("register_files", g.FixedFiles, s.FixedFiles),
		fmt.Sprintf("buffered=%d", bit(!s.Direct)),
		fmt.Sprintf("QD=%d", s.Depth),
		fmt.Sprintf("submit=%d", s.SubmitBatch),
		fmt.Sprintf("complete=%d", s.CompleteBatch),
		granted("register_ring", g.RingFD, s.RegisteredRing),
		fmt.Sprintf("restricted=%d", bit(s.Restricted)))
}

// polling says what was asked for and what is in effect: a ring that polls a
// device without poll queues is served by interrupts.
func (t *Text) polling(r *result.Result) {
	s := &r.Spec
	asked := "auto"
	if s.Polled != result.ChoiceAuto {
		asked = string(s.Polled)
	}
	effective := "no"
	if r.Granted.Polled && !slices.ContainsFunc(r.Targets, func(g result.Target) bool { return g.CanPoll == result.ChoiceNo }) {
		effective = "yes"
	}
	items := []string{
		"requested=" + asked, "effective=" + effective, fmt.Sprintf("hybrid=%d", bit(s.HybridPoll)),
		fmt.Sprintf("sqpoll=%d", bit(s.SQPoll)),
	}
	if s.SQPoll {
		items = append(items, fmt.Sprintf("sqpoll_cpu=%s", cpu(s.SQPollCPU)), fmt.Sprintf("sqpoll_idle=%dms", s.SQPollIdleMS))
	}
	t.out.items("polling", items...)
}

func (t *Text) ring(s *result.Spec, g *result.Granted) {
	if s.Engine != result.EngineURing {
		t.out.items("ring", "Engine="+string(s.Engine))
	} else {
		dropped := "none"
		if len(g.Dropped) > 0 {
			dropped = strings.Join(g.Dropped, " ") + " (not known to this kernel)"
		}
		t.out.items("ring", "Engine="+string(s.Engine), fmt.Sprintf("sq_ring=%d", g.SQEntries),
			fmt.Sprintf("cq_ring=%d", g.CQEntries), fmt.Sprintf("features=%#x", g.Features), "dropped="+dropped)
		flags := g.SetupFlags
		if len(flags) == 0 {
			flags = []string{"none"}
		}
		t.out.wrapped("flags", flags)
	}
	if g.BufferBytes > 0 {
		memory := "memory=anonymous"
		if s.HugeFile != "" {
			memory = "memory=" + printable(s.HugeFile)
		}
		registered := "not registered"
		if g.BufferRegions > 0 {
			registered = plural(g.BufferRegions, "registered region")
		}
		t.out.items("buffers", byteCount(g.BufferBytes)+" per submitter", registered, memory)
	}
}

func (t *Text) schedule(s *result.Spec, started string) {
	runtime := "runtime=until stopped"
	if s.RuntimeNS > 0 {
		runtime = "runtime=" + duration(s.RuntimeNS)
	}
	rounds := "rounds=auto"
	if s.Rounds > 0 {
		rounds = fmt.Sprintf("rounds=%d", s.Rounds)
	}
	if s.UntilSteady {
		runtime = fmt.Sprintf("runtime=until steady (%d rounds of %s), at most %s", stats.SteadyRounds, duration(s.SteadyRoundNS), duration(s.RuntimeNS))
	}
	warmup, repeats := "", ""
	if s.WarmupNS > 0 {
		warmup = "warmup=" + duration(s.WarmupNS)
	}
	if s.Repeat > 1 {
		repeats = fmt.Sprintf("repeats=%d", s.Repeat)
	}
	t.out.items("run", runtime, warmup, repeats, "interval="+duration(s.IntervalNS), stamps(s), rounds,
		prefixed("started=", started))
}

// threads writes how submitters are placed, and where each one is.
func (t *Text) threads(r *result.Result) {
	s := &r.Spec
	cpus := "cpus=allowed"
	if s.CPUs != "" {
		cpus = "cpus=" + s.CPUs
	}
	t.out.items("threads", fmt.Sprintf("submitters=%d", s.Threads), fmt.Sprintf("pin=%s", s.Pinning), cpus,
		fmt.Sprintf("numa=%d", bit(s.NUMA)))
	for i := range r.Placements {
		t.out.items("", placement(r, &r.Placements[i])...)
	}
}

// placement is one submitter in the words of t/io_uring, with its CPU.
func placement(r *result.Result, p *result.Placement) []string {
	on := "cpu=" + cpu(p.CPU)
	if p.Shared {
		on += " (shared)"
	}
	items := []string{fmt.Sprintf("submitter=%d", p.Submitter), fmt.Sprintf("tid=%d", p.TID), on, fmt.Sprintf("node=%d", p.Node)}
	if len(p.Targets) == 1 && p.Targets[0] < len(r.Targets) {
		return append(items, "file="+printable(r.Targets[p.Targets[0]].Path))
	}
	return append(items, prefixed("targets=", list(p.Targets)))
}

// granted is key=value, with what was asked when it is something else.
func granted(key string, got, asked bool) string {
	if got == asked {
		return fmt.Sprintf("%s=%d", key, bit(got))
	}
	return fmt.Sprintf("%s=%d (asked %d)", key, bit(got), bit(asked))
}

func cpu(n int) string {
	if n < 0 {
		return "any"
	}
	return fmt.Sprint(n)
}

// prefixed is prefix and s, or nothing when s is nothing.
func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// short is the start of a hash, long enough to tell it from others.
func short(hash string) string {
	return hash[:min(len(hash), 12)]
}
