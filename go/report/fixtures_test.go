package report

import (
	"math"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

const second = int64(1e9)

func known(n int64) result.OptInt { return &n }

// baseRun is one submitter on one polled NVMe drive, not yet measured.
func baseRun() *result.Result {
	return &result.Result{
		Schema: result.SchemaVersion,
		Tool: result.Tool{
			Version: "0.1.0", Commit: "3f2c1ab90d7e5a1c4b6f", Liburing: "2.9",
			CoreID: "8f16ea8e21b0c3d4e5f6", Go: "go1.26.8",
		},
		Command: []string{"ringpeak", "-b512", "-d128", "-s32", "-c32", "-p1", "-F1", "-B1", "-n1", "/dev/nvme1n1"},
		System: result.System{
			Kernel: "6.12.9-amd64", Build: "#1 SMP PREEMPT_DYNAMIC Debian 6.12.9-1 (2025-01-10)",
			Machine: "x86_64", Cmdline: "root=/dev/sda1", CPUModel: "AMD EPYC 7763 64-Core Processor", CPUs: 128, Allowed: "0-127",
		},
		Started: "2026-08-01T12:00:00Z",
		Spec: result.Spec{
			Engine: result.EngineURing, Op: result.OpRead, Targets: []string{"/dev/nvme1n1"},
			Depth: 128, SubmitBatch: 32, CompleteBatch: 32, BlockSize: 512, Threads: 1, Random: true, Seed: 42,
			Polled: result.ChoiceYes, SQPollCPU: -1, FixedBuffers: true, FixedFiles: true, RegisteredRing: true,
			Direct: true, RuntimeNS: 3 * second, IntervalNS: second, Pinning: result.PinOne,
		},
		Targets:    []result.Target{nvme("/dev/nvme1n1", "259:1")},
		Placements: []result.Placement{{TID: 1206, CPU: 0, Node: 0, Targets: []int{0}}},
		Granted: result.Granted{
			SetupFlags: []string{"IOPOLL", "CQSIZE", "CLAMP", "SUBMIT_ALL", "SINGLE_ISSUER", "DEFER_TASKRUN"},
			Dropped:    []string{"NO_SQARRAY"}, SQEntries: 128, CQEntries: 256, Features: 0x3fff, Polled: true, FixedBuffers: true,
			FixedFiles: true, RingFD: true, BufferBytes: 64 << 10, BufferRegions: 1, Opcode: "READ_FIXED",
		},
		Notes: []result.Note{},
	}
}

func nvme(path, device string) result.Target {
	return result.Target{
		Path: path, Kind: result.KindBlock, SizeBytes: 800166076416, Blocks: 1562824368,
		Device: device, Disk: path[len("/dev/"):], Driver: "nvme", Model: "INTEL SSDPF21Q800GB",
		LogicalBlockBytes: known(512), PhysicalBlockBytes: known(512), DIOMemAlignBytes: known(4), DIOOffsetAlignBytes: known(512),
		MaxSectorsKB: known(128), MaxHWSectorsKB: known(128), NoMerges: known(0), NrRequests: known(1023), HWQueues: known(135), Scheduler: "none", IOStats: known(0),
		Rotational: known(0), NUMANode: known(0), IOPoll: known(1), CanPoll: result.ChoiceYes, Direct: true, NoAtime: true,
	}
}

func file(path string) result.Target {
	return result.Target{
		Path: path, Kind: result.KindFile, SizeBytes: 64 << 20, Blocks: 16384, Device: "254:1",
		Disk: "vda", Partition: "vda1", Driver: "virtblk", FileSystem: "ext4",
		LogicalBlockBytes: known(512), PhysicalBlockBytes: known(512), DIOMemAlignBytes: known(512), DIOOffsetAlignBytes: known(512),
		MaxSectorsKB: known(1280), MaxHWSectorsKB: known(32767), NoMerges: known(0), NrRequests: known(256), HWQueues: known(4), Scheduler: "none", IOStats: known(1),
		Rotational: known(1), NUMAWhy: "the device has no PCI parent", IOPoll: known(0), CanPoll: result.ChoiceNo,
		WhyNotPoll: "vda has no poll queues (queue/io_poll is 0)", Direct: true, NoAtime: true, HoleBytes: known(48 << 20),
	}
}

// measure fills in the intervals, one per element of iops, at whole seconds,
// and everything that follows from them. Submitters share the work unevenly.
func measure(r *result.Result, iops ...uint64) {
	n := uint64(len(r.Placements))
	targets := uint64(len(r.Targets))
	for i, total := range iops {
		iv := result.Interval{StartNS: int64(i) * second, LengthNS: second}
		for j := range n {
			c := result.Counters{Completed: total / n, Bytes: total / n * uint64(r.Spec.BlockSize), Calls: total / n / 32}
			if targets == 0 {
				c.Bytes = 0
			}
			c.Submitted = c.Completed
			if i == 0 {
				c.Submitted += 100 + j
			}
			iv.Submitters = append(iv.Submitters, c)
			iv.Total = iv.Total.Add(c)
			iv.InFlight = append(iv.InFlight, uint32(100+j))
		}
		r.Intervals = append(r.Intervals, iv)
	}
	shareOut(r)
	conclude(r)
}

// shareOut gives each submitter's completions to its targets in turn.
func shareOut(r *result.Result) {
	for i := range r.Intervals {
		iv := &r.Intervals[i]
		iv.Targets = make([]result.TargetCounters, len(r.Targets))
		for j, c := range iv.Submitters {
			of := r.Placements[j].Targets
			for k, t := range of {
				n := c.Completed / uint64(len(of))
				x := result.TargetCounters{Completed: n, Bytes: n * uint64(r.Spec.BlockSize)}
				if k == len(of)-1 { // with the rest
					x = result.TargetCounters{Completed: c.Completed - n*uint64(k), Failed: c.Failed, Bytes: c.Bytes - x.Bytes*uint64(k)}
				}
				iv.Targets[t] = iv.Targets[t].Add(x)
			}
		}
	}
}

func conclude(r *result.Result) {
	r.Summary = stats.Summarise(r.Intervals)
	if n := len(r.Intervals); n > 0 {
		for _, n := range r.Intervals[n-1].InFlight {
			r.Summary.InFlightAfter += uint64(n)
		}
		c := r.Summary.Total
		r.Summary.InFlightBefore = c.Completed + c.Failed + r.Summary.InFlightAfter - c.Submitted
	}
	r.PerSubmitter = stats.SumSubmitters(r.Intervals)
	r.PerTarget = stats.SumTargets(r.Intervals, len(r.Targets))
	if r.End.Reason == "" {
		r.End = result.End{Reason: "time", Drained: true}
	}
	r.Checks = append(r.Checks, result.Check{Code: "counters-add-up", State: result.CheckPass, Text: "submitted = completed + failed + in flight"})
}

func nopRun() *result.Result {
	r := baseRun()
	r.Command = []string{"ringpeak", "-d128", "-s32", "-c32", "-N1"}
	r.Spec.Op, r.Spec.Targets, r.Targets, r.Spec.RuntimeNS = result.OpNop, nil, nil, 0
	r.Placements[0].Targets = nil
	r.Granted.Opcode, r.Granted.Polled, r.Granted.BufferBytes, r.Granted.BufferRegions = "NOP", false, 0, 0
	r.Granted.FixedBuffers, r.Granted.FixedFiles = false, false
	r.Spec.FixedBuffers, r.Spec.FixedFiles, r.Spec.Polled = false, false, result.ChoiceAuto
	r.Granted.Dropped = nil
	r.Spec.Clock, r.Clock = result.ClockMonotonic, result.Clock{Source: result.ClockMonotonic, WhyNotTSC: "--clock=monotonic was given"}
	r.TimeSplit = &result.TimeSplit{SampledRounds: 7900, SampledIOs: 252800, PrepareNSPerIO: 0.06, EnterNSPerIO: 44.8, ReapNSPerIO: 1.42}
	measure(r, 21345678, 21400000, 21298765)
	for i := range r.Intervals {
		r.Intervals[i].InFlight = nil
	}
	return r
}

func oneFileRun() *result.Result {
	r := baseRun()
	measure(r, 5806400, 5812345, 5798765)
	spend(r, true)
	return r
}

func twoFilesRun() *result.Result {
	r := baseRun()
	r.Command = []string{"ringpeak", "-b4096", "-p0", "-n2", "-B0", "/tmp/my data", "/tmp/g"}
	r.Targets = []result.Target{file("/tmp/my data"), file("/tmp/g")}
	r.Spec.Targets = []string{"/tmp/my data", "/tmp/g"}
	r.Spec.Threads, r.Spec.BlockSize, r.Spec.Polled, r.Spec.FixedBuffers = 2, 4096, result.ChoiceAuto, false
	r.Granted.Polled, r.Granted.FixedBuffers, r.Granted.BufferRegions, r.Granted.Opcode = false, false, 0, "READ"
	r.Granted.FixedFiles, r.Granted.BufferBytes = false, 512<<10
	r.Placements = []result.Placement{
		{TID: 1206, CPU: 0, Node: -1, Targets: []int{0}},
		{Submitter: 1, TID: 1207, CPU: 1, Node: -1, Targets: []int{1}},
	}
	measure(r, 640000, 656000, 704000)
	spend(r, false)
	return r
}

func errorsRun() *result.Result {
	r := baseRun()
	r.Spec.Threads, r.Command = 2, append(r.Command[:8], "-n2", "/dev/nvme1n1", "/dev/nvme2n1")
	r.Targets = append(r.Targets, nvme("/dev/nvme2n1", "259:2"))
	r.Placements = []result.Placement{
		{TID: 1206, CPU: 0, Node: 0, Targets: []int{0, 1}},
		{Submitter: 1, TID: 1207, CPU: 0, Node: 0, Targets: []int{1}, Shared: true},
	}
	measure(r, 90000, 95000, 64000)
	fail := func(i int, failed, short uint64) {
		iv := &r.Intervals[i]
		for _, c := range []*result.Counters{&iv.Total, &iv.Submitters[1]} {
			c.Submitted += failed
			c.Failed, c.Short = c.Failed+failed, c.Short+short
		}
	}
	fail(1, 12, 0)
	fail(2, 6, 3)
	r.Errors = []result.ErrorCount{
		{Target: "/dev/nvme2n1", Errno: 5, Name: "EIO", Text: "Input/output error", Count: 15},
		{Target: "/dev/nvme2n1", Name: "short read", Count: 3},
	}
	shareOut(r)
	r.Intervals[2].Total.Calls, r.Intervals[2].Submitters[0].Calls, r.Intervals[2].Submitters[1].Calls = 0, 0, 0
	r.Checks = []result.Check{
		{Code: "io-errors", State: result.CheckFail, Text: "18 of 249018 I/Os failed", Advice: "look at the kernel log of /dev/nvme2n1 before trusting any number of it"},
		{Code: "steady", State: result.CheckWarn, Text: "the slowest interval is 23 % below the mean", Advice: "run longer, on an idle machine with a fixed CPU frequency"},
		{Code: "interrupts", State: result.CheckUnknown, Text: "/proc/interrupts has no line for nvme2"},
	}
	conclude(r)
	return r
}

func latencyRun() *result.Result {
	r := twoFilesRun()
	r.Spec.Latency, r.Spec.LatencyEach = true, true
	hz := 2450.123456e6
	r.Clock = result.Clock{Source: result.ClockTSC, TSCHz: &hz}
	r.TimeSplit = &result.TimeSplit{SampledRounds: 244, SampledIOs: 7800, WaitingRounds: 220, PrepareNSPerIO: 12.34, EnterNSPerIO: 1410.2, ReapNSPerIO: 8.04}
	h := hdrhistogram.New(1, 60*second, 3)
	for i := range 20000 { // a body at 1.5 ms and a tail to about 10 ms
		v := 1.5e6 + 4e5*math.Sin(float64(i)) + 8e6*math.Pow(float64(i)/20000, 40)
		if err := h.RecordValues(int64(v), 100); err != nil {
			panic(err)
		}
	}
	r.Histogram = &result.Histogram{LowestNS: 1, HighestNS: 60 * second, Digits: 3, Counts: h.Export().Counts, Over: 3}
	r.Latency, _ = stats.Latency(r.Histogram)
	r.Checks = append(r.Checks, stats.LittlesLaw(r.Summary.IOPSMean, r.Latency.MeanNS, 1500, 0))
	return r
}

func signalRun() *result.Result {
	r := oneFileRun()
	r.System.Environment = environment()
	r.Targets[0].Hardware = hardware()
	r.Spec.RuntimeNS = 0
	iv := &r.Intervals[2]
	c := result.Counters{Submitted: 2496000, Completed: 2496000, Bytes: 2496000 * 512, Calls: 78000}
	iv.LengthNS, iv.Partial, iv.Total, iv.Submitters = 430*second/1000, true, c, []result.Counters{c}
	shareOut(r)
	r.End = result.End{Reason: "signal", Signal: "INT", Drained: true}
	r.Checks = nil
	conclude(r)
	spend(r, true)
	return r
}

// runs are the fixtures by name.
func runs() map[string]*result.Result {
	return map[string]*result.Result{
		"nop": nopRun(), "one-file": oneFileRun(), "two-files": twoFilesRun(),
		"errors": errorsRun(), "latency": latencyRun(), "signal": signalRun(),
		"repeats": repeatsRun(), "steady": steadyRun(), "asserted": assertedRun(),
	}
}

// TestFixturesAddUp keeps the fixtures honest.
func TestFixturesAddUp(t *testing.T) {
	for name, r := range runs() {
		for i, iv := range r.Intervals {
			var sum result.Counters
			for _, c := range iv.Submitters {
				sum = sum.Add(c)
			}
			var completed, failed, bytes uint64
			for _, c := range iv.Targets {
				completed, failed, bytes = completed+c.Completed, failed+c.Failed, bytes+c.Bytes
			}
			if len(r.Targets) > 0 && (completed != sum.Completed || failed != sum.Failed || bytes != sum.Bytes) {
				t.Errorf("%s: interval %d: submitters come to %+v, targets to %+v", name, i, sum, iv.Targets)
			}
			if sum != iv.Total {
				t.Errorf("%s: interval %d: submitters come to %+v, total is %+v", name, i, sum, iv.Total)
			}
		}
	}
}
