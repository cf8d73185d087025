package check

import (
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

func two(cpu int) func(*Evidence) { return func(e *Evidence) { e.second(cpu) } }

// both applies changes in turn.
func both(changes ...func(*Evidence)) func(*Evidence) { return blocks(1<<28, changes...) }

func fast(times int64) func(*Evidence) { return func(e *Evidence) { e.fast(times) } }

func TestCPUShared(t *testing.T) {
	outcomes(t, CodeCPUShared, []outcome{
		{"one", nil, pass, "a core of its own"},
		{"two cores", two(2), pass, ""},
		{"one CPU", two(0), warn, "submitters 0, 1 share CPU 0"},
		{"one core", two(4), warn, "CPUs 0, 4|hardware threads of one core"},
		{"not pinned", both(two(-1), func(e *Evidence) { e.Result.Placements[0].CPU = -1 }), unknown, "2 submitters run wherever"},
		{"topology unknown", both(two(3)), unknown, "CPU 3"},
		{"one, not pinned", func(e *Evidence) { e.Result.Placements[0].CPU = -1 }, pass, ""},
		{"kernel thread", func(e *Evidence) { e.Result.Spec.SQPoll, e.Result.Spec.SQPollCPU = true, 0 }, warn, "submission thread shares CPU 0"},
		{"kernel thread elsewhere", func(e *Evidence) { e.Result.Spec.SQPoll, e.Result.Spec.SQPollCPU = true, 1 }, pass, ""},
	})
}

func queues(list []result.PollQueue) func(*Evidence) {
	return func(e *Evidence) { e.disk().Queues = list }
}

func TestQueueShared(t *testing.T) {
	outcomes(t, CodeQueueShared, []outcome{
		{"one submitter", nil, none, ""},
		{"two queues", both(two(2), fast(5)), pass, "no hardware queue of nvme0n1"},
		{"one queue", both(two(1), fast(5)), warn, "submitters 0, 1 share hardware queue 0 of nvme0|--cpus"},
		{"one queue, slowly", two(1), pass, "costs little"},
		{"not pinned", both(two(-1), fast(5)), unknown, "not known"},
		{"the only queue, not pinned", both(two(-1), fast(5), queues([]result.PollQueue{{Device: "nvme0", CPUs: []int{0}}})), warn, "queue 0"},
		{"not mapped", both(two(1), fast(5), queues(nil)), unknown, ""},
		{"no queues", both(two(1), fast(5), func(e *Evidence) { e.disk().Block.Queue.HWQueues = sysfs.Int{} }), none, ""},
		{"polled", both(two(1), fast(5), func(e *Evidence) {
			e.Polled = true
			e.target().PollMap = []result.PollQueue{{Device: "nvme0", Index: 2, CPUs: []int{0}}, {Device: "nvme0", Index: 3, CPUs: []int{1}}}
		}), pass, ""},
		{"polled, shared", both(two(2), fast(5), func(e *Evidence) {
			e.Polled = true
			e.target().PollMap = []result.PollQueue{{Device: "other", CPUs: []int{0}}, {Device: "nvme0", Index: 2, CPUs: []int{0, 1, 2}}}
		}), warn, "queue 2 of nvme0"},
		{"two namespaces of a controller", both(two(1), fast(50), func(e *Evidence) {
			r := e.Result
			r.Targets = append(r.Targets, r.Targets[0])
			r.Targets[1].Disk, r.Placements[1].Targets = "nvme0n2", []int{1}
			e.Disks["nvme0n2"] = e.disk()
		}), warn, "submitters 0, 1 share hardware queue 0 of nvme0"},
	})
}

func requests(n int64) func(*Evidence) {
	return func(e *Evidence) { e.disk().Block.Queue.NrRequests = sysfs.Have(n) }
}

func TestTags(t *testing.T) {
	outcomes(t, CodeTags, []outcome{
		{"enough", nil, pass, "up to 128 requests at once|holds 1023"},
		{"just enough", requests(128), pass, ""},
		{"too few", requests(127), warn, "128 requests at once for hardware queue 0 of nvme0, which holds 127|-d"},
		{"two on a queue", both(two(1), requests(255)), warn, "256 requests"},
		{"two on two queues", both(two(2), requests(255)), pass, "up to 128"},
		{"too few, not mapped", both(requests(127), queues(nil)), warn, "of one submitter"},
		{"not pinned", both(two(-1), requests(255)), unknown, "256 requests"},
		{"not pinned, but enough", both(two(-1), requests(256)), pass, ""},
		{"split", both(requests(255), func(e *Evidence) { e.target().MaxSectorsKB = known(2) }), warn, "256 requests"},
		{"one at a time", both(requests(2), func(e *Evidence) { e.Result.Spec.Engine = result.EnginePreadv2 }), pass, "up to 1 "},
		{"striped", both(requests(64), func(e *Evidence) { e.target().Members = []string{"nvme0n1", "elsewhere"} }), pass, "up to 64"},
		{"not told", func(e *Evidence) { e.disk().Block.Queue.NrRequests = sysfs.Int{} }, unknown, "nr_requests"},
		{"no queues", func(e *Evidence) { e.disk().Block.Queue.HWQueues = sysfs.Int{} }, none, ""},
	})
}

// multipath makes the disk a head above so many paths, each with the queues of
// its own controller.
func multipath(paths ...string) func(*Evidence) {
	return func(e *Evidence) {
		head := e.disk()
		for _, ctrl := range paths {
			below, block := *head, *head.Block
			block.Disk = "nvme0c" + ctrl + "n1"
			below.Block, below.Owner, below.Queues = &block, "nvme"+ctrl, nil
			for _, q := range head.Queues {
				q.Device = "nvme" + ctrl
				below.Queues = append(below.Queues, q)
			}
			e.Disks[block.Disk] = &below
			head.Paths = append(head.Paths, block.Disk)
		}
		block := *head.Block
		block.Queue = sysfs.Queue{IOStats: block.Queue.IOStats}
		head.Block, head.Owner, head.Queues = &block, "nvme-subsys0", nil
	}
}

// The queues of a multipath device are those of its paths.
func TestMultipath(t *testing.T) {
	for code, list := range map[string][]outcome{
		CodeTags: {
			{"enough", multipath("3", "4"), pass, "of nvme0c3n1, which holds 1023"},
			{"too few", both(requests(127), multipath("3")), warn, "hardware queue 0 of nvme3, which holds 127"},
		},
		CodeQueueShared: {
			{"apart", both(two(2), multipath("3")), pass, "nvme0c3n1"},
			{"shared", both(two(1), fast(50), multipath("3", "4")), warn, "queue 0 of nvme3|1 more like it"},
		},
		CodeQueueSettings: {
			{"scheduler", both(fast(5), func(e *Evidence) { e.disk().Block.Queue.Scheduler = sysfs.Have("kyber") }, multipath("3")), warn, "kyber|/sys/block/nvme0c3n1/queue"},
		},
	} {
		outcomes(t, code, list)
	}
}

func TestBlockSize(t *testing.T) {
	outcomes(t, CodeBlockSize, []outcome{
		{"fits", nil, pass, "reads of 4 KiB"},
		{"below the physical block", func(e *Evidence) { e.Result.Spec.BlockSize = 512; e.target().PhysicalBlockBytes = known(4096) }, warn, "512 bytes|of 4096|-b4096"},
		{"split", func(e *Evidence) { e.Result.Spec.BlockSize = 1 << 20 }, warn, "1 MiB into 2|takes 512 KiB|-b512k"},
		{"the largest", func(e *Evidence) { e.Result.Spec.BlockSize = 512 << 10 }, pass, ""},
		{"never split", func(e *Evidence) { generic(e); e.Result.Spec.BlockSize = 1 << 20 }, pass, ""},
		{"not known", func(e *Evidence) { e.target().PhysicalBlockBytes, e.target().MaxSectorsKB = nil, nil }, unknown, ""},
		{"no device", func(e *Evidence) {
			e.file()
			e.target().Disk, e.target().PhysicalBlockBytes, e.target().MaxSectorsKB = "", nil, nil
		}, none, ""},
	})
}

func TestQueueSettings(t *testing.T) {
	scheduler := func(e *Evidence) { e.disk().Block.Queue.Scheduler = sysfs.Have("mq-deadline") }
	quiet := func(e *Evidence) {
		q := &e.disk().Block.Queue
		q.IOStats, q.NoMerges = sysfs.Have(int64(0)), sysfs.Have(int64(2))
	}
	outcomes(t, CodeQueueSettings, []outcome{
		{"slow", scheduler, pass, "mq-deadline|cost little at 100.0K"},
		{"fast", both(scheduler, fast(5)), warn, "500.0K reads a second|mq-deadline|iostats (8 %|scheduler=none, iostats=0"},
		{"just fast enough", fast(2), warn, "200.0K"},
		{"tuned", both(quiet, fast(50)), pass, "no setting"},
		{"merging, fast", fast(5), warn, "iostats"},
		{"merging, very fast", fast(20), warn, "merging|nomerges=2"},
		{"wbt", both(quiet, fast(5), func(e *Evidence) { e.disk().Block.Queue.WBTLatUsec = sysfs.Have(int64(2000)) }), warn, "wbt_lat_usec=0"},
		{"affinity", both(quiet, fast(20), func(e *Evidence) { e.disk().Block.Queue.RQAffinity = sysfs.Have(int64(0)) }), warn, "rq_affinity=1"},
		{"affinity, polled", both(quiet, fast(20), func(e *Evidence) {
			e.Polled, e.disk().Block.Queue.RQAffinity = true, sysfs.Have(int64(0))
		}), pass, ""},
		{"passthrough", both(scheduler, generic, fast(50)), pass, "no setting"},
		{"passthrough, counted", both(generic, fast(50), func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Passthrough = sysfs.Have(int64(1)) })
		}), warn, "iostats_passthrough=0"},
		{"passthrough, not counted without iostats", both(quiet, generic, fast(50), func(e *Evidence) {
			e.counts(func(m *DiskMoment) { m.Passthrough = sysfs.Have(int64(1)) })
		}), pass, "no setting"},
		{"answered by the page cache", both(scheduler, fast(50), func(e *Evidence) {
			e.file()
			buffered(e)
			e.counts(func(m *DiskMoment) { m.Stat.Value.ReadSectors /= 100 })
		}), pass, "cost little"},
		{"not readable", func(e *Evidence) {
			e.disk().Block.Queue.Scheduler, e.disk().Block.Queue.IOStats = sysfs.Text{}, sysfs.Int{}
		}, unknown, "/sys/block/nvme0n1/queue"},
		{"no queue", func(e *Evidence) { e.disk().Block.Queue.HWQueues = sysfs.Int{} }, none, ""},
	})
}

func TestDebugKernel(t *testing.T) {
	set := func(symbols ...string) func(*Evidence) {
		return func(e *Evidence) {
			for _, s := range symbols {
				e.Kernel.Config.Set[s] = "y"
			}
		}
	}
	outcomes(t, CodeDebugKernel, []outcome{
		{"production", nil, pass, "/proc/config.gz"},
		{"lockdep", set("LOCKDEP", "PROVE_LOCKING"), warn, "CONFIG_PROVE_LOCKING, CONFIG_LOCKDEP|production"},
		{"hardware tags cost little", set("KASAN", "KASAN_HW_TAGS"), pass, ""},
		{"KASAN", set("KASAN"), warn, "CONFIG_KASAN"},
		{"kmemleak, off by default", set("DEBUG_KMEMLEAK", "DEBUG_KMEMLEAK_DEFAULT_OFF"), pass, ""},
		{"command line", func(e *Evidence) { e.Result.System.Cmdline = "quiet slub_debug=FZP ro" }, warn, "slub_debug=FZP"},
		{"switched off", func(e *Evidence) { e.Result.System.Cmdline = "slub_debug=-" }, pass, ""},
		{"gcov of some drivers", set("GCOV_KERNEL"), pass, ""},
		{"gcov", set("GCOV_KERNEL", "GCOV_PROFILE_ALL"), warn, "GCOV_PROFILE_ALL"},
		{"a word like it", func(e *Evidence) { e.Result.System.Cmdline = "noslub_debug slub_debugger" }, pass, ""},
		{"name", func(e *Evidence) { e.Result.System.Kernel = "6.9.5-200.fc40.x86_64+debug" }, warn, "its name"},
		{"slab", func(e *Evidence) { e.Kernel.Debugging.SlubChecks = []string{"poison"} }, warn, "slab checks (poison)"},
		{"no configuration", func(e *Evidence) { e.Kernel.Config = sysfs.KernelConfig{} }, unknown, "/boot/config-6.12.0"},
		{"no configuration, but lockdep", func(e *Evidence) { e.Kernel = Kernel{Debugging: sysfs.Debugging{Lockdep: true}} }, warn, "/proc/lockdep"},
	})
}
