package config

import (
	"math"
	"time"
)

// Bounds that other packages need not repeat.
const (
	MaxDepth     = 32768   // of the kernel's submission queue
	MaxThreads   = 4096    // far above what one machine has CPUs for
	MaxBlockSize = 1 << 30 // what a single read can return is just under 2 GiB

	maxRepeat   = 1000
	maxRuntime  = math.MaxInt32 * int64(time.Second) // the peer's int
	minInterval = 10 * int64(time.Millisecond)
)

// Long forms that the code below asks for by name.
const (
	nDepth, nSubmit, nComplete, nBlock  = "depth", "submit-batch", "complete-batch", "block-size"
	nThreads, nRandom, nSeed            = "threads", "random", "seed"
	nRuntime, nInterval, nLatency       = "runtime", "interval", "latency"
	nRounds, nMaxErrors, nStrict        = "rounds", "max-errors", "strict"
	nFollow, nNoCeiling, nAssert        = "follow", "no-ceiling", "assert"
	nWarmup, nRepeat, nClock            = "warmup", "repeat", "clock"
	nUntilSteady, nSteadyRound          = "until-steady", "steady-round"
	nPolled, nHybrid                    = "polled", "hybrid-poll"
	nSQPoll, nSQPollCPU, nSQPollIdle    = "sqpoll", "sqpoll-cpu", "sqpoll-idle"
	nBuffers, nFiles, nRing, nVectored  = "fixed-buffers", "fixed-files", "registered-ring", "vectored"
	nRestricted, nHuge, nDirect         = "restricted", "huge-file", "direct"
	nNop, nAIO, nPreadv2, nPassthrough  = "nop", "aio", "preadv2", "passthrough"
	nCPUs, nPin, nNUMA                  = "cpus", "pin", "numa"
	nStyle, nJSON, nDMAMap, nTSC, nHelp = "style", "json", "dma-map", "tsc-rate", "help"
	nJSONL, nOpenMetrics, nHDR, nBench  = "jsonl", "openmetrics", "hdr", "benchfmt"
)

// Options is the table of all options, in the order of the help. Each call
// returns a fresh one.
func Options() Table {
	var all Table
	for _, group := range []Table{
		loadOptions(), runOptions(), pathOptions(), engineOptions(),
		placementOptions(), outputOptions(), noEffectOptions(),
	} {
		all = append(all, group...)
	}
	return all
}

func loadOptions() Table {
	const g = GroupLoad
	return Table{
		{
			Letter: "d", Name: nDepth, Kind: Integer, Default: "128", Arg: "N", Min: 1, Max: MaxDepth, Group: g, Since: "3.14",
			Help: "I/Os in flight per submitter thread",
		},
		{
			Letter: "s", Name: nSubmit, Kind: Integer, Default: "32", Arg: "N", Min: 0, Max: MaxDepth, Group: g, Since: "3.14",
			Help: "I/Os submitted per system call at most; 0 means 1, never more than the depth",
		},
		{
			Letter: "c", Name: nComplete, Kind: Integer, Default: "32", Arg: "N", Min: 0, Max: MaxDepth, Group: g, Since: "3.14",
			Help: "completions to wait for when the depth is reached; 0 means 1, never more than the depth",
		},
		{
			Letter: "b", Name: nBlock, Kind: Size, Default: "4096", Arg: "BYTES", Min: 1, Max: MaxBlockSize, Group: g, Since: "3.21",
			Help: "bytes per I/O; 4k is 4096, 1m is 1048576",
		},
		{
			Letter: "n", Name: nThreads, Kind: Integer, Default: "1", Arg: "N", Min: 1, Max: MaxThreads, Group: g, Since: "3.28",
			Help: "submitter threads; targets are shared out among them",
		},
		{
			Letter: "R", Name: nRandom, Kind: Bool, Default: "1", Group: g, Since: "3.29",
			Help: "1: random over all whole blocks of a target, 0: sequential",
		},
		{
			Name: nSeed, Kind: Integer, Unset: "a new one per run, printed", Arg: "N", Min: 0, Max: math.MaxInt64, Group: g,
			Help: "seed of the random offsets, to repeat a run exactly",
		},
	}
}

func runOptions() Table {
	const g = GroupRun
	return Table{
		{
			Letter: "r", Name: nRuntime, Kind: Duration, Default: "0", Arg: "SECONDS", Min: 0, Max: maxRuntime, Group: g, Since: "3.29",
			Help: "how long to measure, also as 500ms or 2m; 0: until Ctrl-C",
		},
		{
			Name: nInterval, Kind: Duration, Default: "1s", Arg: "DURATION", Min: minInterval, Max: int64(time.Hour), Group: g,
			Help: "length of an interval, from 10ms, never longer than the run; a line has at least 100 ms of them",
		},
		{
			Name: nWarmup, Kind: Duration, Default: "0", Arg: "DURATION", Min: 0, Max: maxRuntime, Group: g,
			Help: "I/O before the window opens, counted nowhere",
		},
		{
			Name: nRepeat, Kind: Integer, Default: "1", Arg: "N", Min: 1, Max: maxRepeat, Group: g,
			Help: "measure N times, with new rings, a warm-up each and the same seed",
		},
		{
			Name: nUntilSteady, Kind: Bool, Default: "0", Group: g,
			Help: "measure until 5 rounds in a row are steady, at most for -r, or 10m without it",
		},
		{
			Name: nSteadyRound, Kind: Duration, Default: "1s", Arg: "DURATION", Min: minInterval, Max: int64(24 * time.Hour), Group: g,
			Help: "length of such a round; whole intervals, at least one",
		},
		{
			Letter: "t", Name: nLatency, Kind: Switch, Values: []string{"each"}, Default: "0", Group: g, Since: "3.29",
			Help: "record the latency of every I/O; 1: one time stamp per round of submitting and one per reaping, each: one per I/O",
		},
		{
			Name: nClock, Kind: Enum, Default: "auto", Values: []string{"auto", "tsc", "monotonic"}, Arg: "NAME", Group: g,
			Help: "where time stamps come from: tsc (the CPU's counter), monotonic (the kernel), or auto: tsc where the kernel trusts it",
		},
		{
			Name: nRounds, Kind: Integer, Default: "0", Arg: "N", Min: 0, Max: 1_000_000, Group: g,
			Help: "rounds of submit and reap per call from Go into C; 0: as many as make it negligible",
		},
		{
			Name: nMaxErrors, Kind: Integer, Default: "0", Arg: "N", Min: 0, Max: math.MaxInt64, Group: g,
			Help: "end the run once more than N I/Os have failed; 0: count them and go on",
		},
		{
			Name: nStrict, Kind: Bool, Default: "0", Group: g,
			Help: "a check that warns or fails is an error (status 1)",
		},
		{
			Name: nNoCeiling, Kind: Bool, Default: "0", Group: g,
			Help: "leave out the short run of no-ops before the reads, which tells what share of this machine's ceiling they reach",
		},
		{
			Name: nAssert, Kind: Text, Repeat: true, Unset: "none", Arg: "EXPR", Group: g,
			Help: "a condition on the result, else status 5: 'iops>=5M', 'p99<=100us', 'errors==0', 'check:polled==pass'; may be given several times, and a wrong name lists the metrics",
		},
	}
}

func pathOptions() Table {
	const g = GroupPath
	return Table{
		{
			Letter: "p", Name: nPolled, Kind: Tristate, Default: "auto", Group: g, Since: "3.21",
			Help: "poll for completions; auto: where every target can, else interrupts",
		},
		{
			Name: nHybrid, Kind: Bool, Default: "0", Group: g,
			Help: "sleep before polling (kernel 6.13); implies -p1",
		},
		{
			Name: nSQPoll, Kind: Bool, Default: "0", Group: g,
			Help: "let a kernel thread pick up submissions",
		},
		{
			Name: nSQPollCPU, Kind: Integer, Unset: "any", Arg: "N", Min: 0, Max: maxCPU, Group: g,
			Help: "CPU of that thread; needs --sqpoll",
		},
		{
			Name: nSQPollIdle, Kind: Integer, Default: "1000", Arg: "MS", Min: 1, Max: 3_600_000, Group: g,
			Help: "milliseconds that thread spins before it sleeps; needs --sqpoll",
		},
		{
			Letter: "B", Name: nBuffers, Kind: Bool, Default: "1", Group: g, Since: "3.23",
			Help: "register the buffers",
		},
		{
			Letter: "F", Name: nFiles, Kind: Bool, Default: "1", Group: g, Since: "3.23",
			Help: "register the files",
		},
		{
			Letter: "X", Name: nRing, Kind: Bool, Default: "1", Group: g, Since: "3.30",
			Help: "register the ring itself, where the kernel can (5.18)",
		},
		{
			Letter: "V", Name: nVectored, Kind: Bool, Default: "0", Group: g, Since: "3.42",
			Help: "vectored reads; needs -B0",
		},
		{
			Letter: "e", Name: nRestricted, Kind: Bool, Default: "0", Group: g, Since: "3.42",
			Help: "restrict the ring to the operations of the run",
		},
		{
			Letter: "O", Name: nDirect, Kind: Bool, Default: "1", Group: g, Since: "3.29",
			Help: "1: direct I/O, 0: through the page cache",
		},
		{
			Letter: "H", Name: nHuge, Kind: Path, Unset: "none", Arg: "PATH", Group: g, Since: "after 3.42",
			Help: "put the buffers into this file of a hugetlbfs",
		},
	}
}

func engineOptions() Table {
	const g = GroupEngine
	return Table{
		{
			Letter: "N", Name: nNop, Kind: Bool, Default: "0", Group: g, Since: "3.29",
			Help: "no-ops: the ceiling of this machine; needs no target",
		},
		{
			Letter: "a", Name: nAIO, Kind: Bool, Default: "0", Group: g, Since: "3.29",
			Help: "legacy Linux AIO",
		},
		{
			Letter: "S", Name: nPreadv2, Kind: Bool, Default: "0", Group: g, Since: "3.30",
			Help: "one synchronous preadv2 at a time",
		},
		{
			Letter: "u", Name: nPassthrough, Kind: Bool, Default: "0", Group: g, Since: "3.32",
			Help: "NVMe passthrough: read commands to /dev/ngXnY (kernel 5.19, polled 6.1)",
		},
		{
			Name: nFollow, Kind: Bool, Default: "0", Group: g,
			Help: "take /dev/ngXnY for /dev/nvmeXnY with -u1, and the other way round without",
		},
	}
}

func placementOptions() Table {
	const g = GroupPlacement
	return Table{
		{
			Name: nCPUs, Kind: CPUList, Unset: "all that are allowed", Arg: "LIST", Group: g,
			Help: "CPUs for the submitters, as in 0-3,8",
		},
		{
			Name: nPin, Kind: Enum, Default: "one", Values: []string{"one", "none"}, Group: g,
			Help: "one: each submitter to a CPU of its own, none: leave it to the scheduler",
		},
		{
			Letter: "P", Name: nNUMA, Kind: Bool, Default: "0", Group: g, Since: "3.31",
			Help: "prefer the CPUs and memory of the target's NUMA node",
		},
	}
}

func outputOptions() Table {
	const g = GroupOutput
	return Table{
		{
			Name: nStyle, Kind: Enum, Default: StyleNative, Values: Styles(), Arg: "NAME", Group: g,
			Help: "format of the text: native, or fio-3.29, fio-3.33, fio-3.42 as those releases of t/io_uring print",
		},
		{
			Name: nJSON, Kind: Path, Unset: "none", Arg: "FILE|-", Group: g,
			Help: "write the whole result as JSON to a file, or to stdout",
		},
		{
			Name: nJSONL, Kind: Path, Unset: "none", Arg: "FILE|-", Group: g,
			Help: "write a line of JSON per interval while running, to a file or to stdout",
		},
		{
			Name: nOpenMetrics, Kind: Path, Unset: "none", Arg: "FILE", Group: g,
			Help: "write a file for node_exporter's textfile collector at the end",
		},
		{
			Name: nHDR, Kind: Path, Unset: "none", Arg: "FILE", Group: g,
			Help: "write the latencies as a log of HdrHistogram, in nanoseconds; implies -t1",
		},
		{
			Name: nBench, Kind: Path, Unset: "none", Arg: "FILE|-", Group: g,
			Help: "write a line per repeat in Go's benchmark format, for benchstat, to a file or to stdout",
		},
		{Letter: "h", Name: nHelp, Kind: Action, Group: g, Since: "any", Help: "this text; also -?"},
		{Name: "version", Kind: Action, Group: g, Help: "version, commit and what was linked"},
	}
}

func noEffectOptions() Table {
	const g = GroupNoEffect
	return Table{
		{
			Letter: "D", Name: nDMAMap, Kind: Bool, Default: "0", Group: g, Since: "3.29",
			Help: "map the buffers for DMA once; no kernel has an interface for it (fio 3.29 to 3.36)",
		},
		{
			Letter: "T", Name: nTSC, Kind: Integer, Unset: "none", Arg: "HZ", Min: 0, Max: math.MaxInt64, Group: g, Since: "3.29",
			Help: "rate of the time-stamp counter; the clock needs no rate",
		},
	}
}
