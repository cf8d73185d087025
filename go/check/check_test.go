package check

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringpeak/go/device"
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

const (
	pass    = result.CheckPass
	warn    = result.CheckWarn
	fail    = result.CheckFail
	unknown = result.CheckUnknown
	none    = result.CheckState("")
)

func known(n int64) result.OptInt { return &n }

// world is evidence of a run on which everything is right: one submitter on
// CPU 0 reads /dev/nvme0n1 directly, a million blocks of 4 KiB in 10 s.
func world() *Evidence {
	const reads, bs = 1_000_000, 4096
	total := result.Counters{Submitted: reads, Completed: reads, Bytes: reads * bs, Calls: reads / 32}
	r := &result.Result{
		System: result.System{Kernel: "6.12.0", Build: "#1 SMP", MemAvailable: 16 << 30},
		Spec: result.Spec{
			Engine: result.EngineURing, Op: result.OpRead, BlockSize: bs, Depth: 128, SubmitBatch: 32, CompleteBatch: 32,
			Threads: 1, Random: true, Direct: true, SQPollCPU: -1, IntervalNS: 1e9,
		},
		Targets: []result.Target{{
			Path: "/dev/nvme0n1", Kind: result.KindBlock, Disk: "nvme0n1", Driver: "nvme", Direct: true,
			SizeBytes: 1 << 40, Blocks: 1 << 28, LogicalBlockBytes: known(512), PhysicalBlockBytes: known(512), MaxSectorsKB: known(512),
		}},
		Placements:   []result.Placement{{CPU: 0, Targets: []int{0}}},
		PerSubmitter: []result.Counters{total},
		PerTarget:    []result.TargetCounters{{Completed: reads, Bytes: reads * bs}},
		Summary:      result.Summary{WindowNS: 10e9, Total: total},
		End:          result.End{Reason: "time", Drained: true},
	}
	on := DiskMoment{Stat: sysfs.Have(sysfs.Stat{Reads: 5, ReadSectors: 40}), IOStats: sysfs.Have(int64(1))}
	after := on
	after.Stat.Value.Reads += reads
	after.Stat.Value.ReadSectors += reads * bs / 512
	disk := &Disk{
		Block: &sysfs.Block{Disk: "nvme0n1", Driver: sysfs.Have("nvme"), Queue: sysfs.Queue{
			HWQueues: sysfs.Have(int64(2)), NrRequests: sysfs.Have(int64(1023)), Scheduler: sysfs.Have("none"), IOStats: sysfs.Have(int64(1)),
			WBTLatUsec: sysfs.Have(int64(0)), NoMerges: sysfs.Have(int64(0)), RQAffinity: sysfs.Have(int64(1)),
		}},
		Owner: "nvme0",
		Queues: []result.PollQueue{
			{Device: "nvme0", Index: 0, CPUs: []int{0, 1}}, {Device: "nvme0", Index: 1, CPUs: []int{2, 3}},
		},
	}
	return &Evidence{
		Result: r, Totals: []result.Counters{total},
		Before: Moment{"nvme0n1": on}, After: Moment{"nvme0n1": after}, Disks: map[string]*Disk{"nvme0n1": disk},
		Contents: []Contents{{Used: known(1 << 31), Size: known(1 << 31), Samples: &device.Samples{Blocks: 32, Distinct: 32}}},
		Siblings: map[int][]int{0: {0, 4}, 1: {1, 5}, 2: {2, 6}, 4: {0, 4}},
		Kernel:   Kernel{Config: sysfs.KernelConfig{Source: "/proc/config.gz", Set: map[string]string{"HZ": "1000"}}},
	}
}

// target, disk and stat are the only ones of world.
func (e *Evidence) target() *result.Target { return &e.Result.Targets[0] }
func (e *Evidence) disk() *Disk            { return e.Disks["nvme0n1"] }

// counts changes what the disk had counted at the end.
func (e *Evidence) counts(f func(*DiskMoment)) {
	m := e.After["nvme0n1"]
	f(&m)
	e.After["nvme0n1"] = m
}

// file makes the target a file on that disk.
func (e *Evidence) file() {
	t := e.target()
	t.Path, t.Kind, t.FileSystem = "/f", result.KindFile, "ext4"
	e.Contents[0].Extents = &device.Extents{Bytes: 1 << 40}
}

// second adds a submitter on a CPU that reads the same target.
func (e *Evidence) second(cpu int) {
	r := e.Result
	r.Spec.Threads = 2
	r.Placements = append(r.Placements, result.Placement{Submitter: 1, CPU: cpu, Targets: []int{0}})
	half := e.Totals[0]
	half.Submitted, half.Completed, half.Bytes = half.Submitted/2, half.Completed/2, half.Bytes/2
	e.Totals = []result.Counters{half, half}
	r.PerSubmitter = e.Totals
}

// fast makes the run take so much less time.
func (e *Evidence) fast(times int64) { e.Result.Summary.WindowNS /= times }

func of(list []result.Check, code string) result.Check {
	for _, c := range list {
		if c.Code == code {
			return c
		}
	}
	return result.Check{Code: code}
}

// outcome is one change of the world and what a check makes of it.
type outcome struct {
	name   string
	change func(*Evidence)
	state  result.CheckState
	words  string // of the text and the advice, separated by |
}

// outcomes runs all checks on each changed world, and looks at one of them.
func outcomes(t *testing.T, code string, list []outcome) {
	t.Helper()
	for _, tt := range list {
		e := world()
		if tt.change != nil {
			tt.change(e)
		}
		all := All(e)
		sound(t, tt.name, all)
		c := of(all, code)
		if c.State != tt.state {
			t.Errorf("%s: %s is %q, want %q: %s", tt.name, code, c.State, tt.state, c.Text)
		}
		for w := range strings.SplitSeq(tt.words, "|") {
			if !strings.Contains(c.Text+" -> "+c.Advice, w) {
				t.Errorf("%s: %q is not in %q", tt.name, w, c.Text+" -> "+c.Advice)
			}
		}
	}
}

// sound holds for all checks of a run: known codes, each once, one line each,
// with a remedy unless they pass.
func sound(t *testing.T, name string, list []result.Check) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range list {
		if seen[c.Code] || !slices.Contains(Codes(), c.Code) {
			t.Errorf("%s: check %q twice, or not in Codes", name, c.Code)
		}
		seen[c.Code] = true
		if (c.State == pass) != (c.Advice == "") || c.Text == "" || strings.Contains(c.Text+c.Advice, "\n") || strings.Contains(c.Text, "%!") {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestAllIsWell(t *testing.T) {
	list := All(world())
	for _, c := range list {
		if c.State != pass {
			t.Errorf("%+v", c)
		}
	}
	sound(t, "well", list)
	if len(list) < 13 {
		t.Errorf("only %d checks: %+v", len(list), list)
	}
}

// A run of NOPs has no target to check.
func TestNOP(t *testing.T) {
	e := world()
	r := e.Result
	r.Spec.Op, r.Targets, r.Placements[0].Targets = result.OpNop, nil, nil
	var codes []string
	for _, c := range All(e) {
		codes = append(codes, c.Code)
	}
	if want := []string{CodeAccounting, CodeOverflow, CodeWorkers, CodeCPUShared, CodeDebugKernel}; !slices.Equal(codes, want) {
		t.Errorf("%v, want %v", codes, want)
	}
}

var codeRow = regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\|.*\\|$")

// The table in the README has all checks, and no others.
func TestREADMEListsTheChecks(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## Checks\n")
	if !ok {
		t.Fatal("the README has no section Checks")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, m := range codeRow.FindAllStringSubmatch(section, -1) {
		listed = append(listed, m[1])
	}
	slices.Sort(listed)
	want := slices.Sorted(slices.Values(Codes()))
	if !slices.Equal(listed, want) {
		t.Errorf("the README lists\n%v, there are\n%v", listed, want)
	}
}

var constant = regexp.MustCompile(`(?m)^\tCode\w+ += "([a-z-]+)"`)

// Codes lists every constant.
func TestCodesAreListed(t *testing.T) {
	text, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	found := constant.FindAllStringSubmatch(string(text), -1)
	for _, m := range found {
		if !slices.Contains(Codes(), m[1]) {
			t.Errorf("%s is not in Codes", m[1])
		}
	}
	if len(found) != len(Codes()) {
		t.Errorf("%d constants, %d codes", len(found), len(Codes()))
	}
}

func TestWorst(t *testing.T) {
	if worst("x", nil) != nil {
		t.Error("a check of nothing")
	}
	list := []finding{{pass, "a", ""}, {unknown, "b", "y"}, {warn, "c", "z"}, {warn, "d", "z"}, {unknown, "e", "y"}, {warn, "c", "z"}}
	if c := worst("x", list); c.State != warn || c.Text != "c; and 1 more like it" || c.Advice != "z" {
		t.Errorf("%+v", c)
	}
	if c := worst("x", list[:2]); c.State != unknown {
		t.Errorf("%+v: unknown is never a pass", c)
	}
}

func TestFiguresForPeople(t *testing.T) {
	for got, want := range map[string]string{
		size(int64(0)): "0 bytes", size(int64(4096)): "4 KiB", size(int64(1536)): "1.5 KiB", size(int64(1 << 40)): "1.0 TiB",
		percent(0, 1): "0 %", percent(1, 0): "0 %", percent(1, 1e6): "under 0.01 %", percent(1, 3): "33 %", percent(1, 50): "2 %",
		thousands(999): "999", thousands(71_234): "71.2K", thousands(2_345_678): "2.35M", list([]string{"a", "b"}): "a, b",
		numbers([]int{1, 2, 3, 4, 5, 6}): "1, 2, 3, 4 and 2 more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
