package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

func read(t *testing.T, text []byte) Document {
	t.Helper()
	r := new(result.Result)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return Document{Name: "read.json", Text: text, Result: r}
}

// told is a list of differences as text.
func told(list []result.Difference) (lines []string) {
	for _, d := range list {
		line := fmt.Sprintf("%s/%s/%s: %q %q", d.Group, d.Path, d.Title, d.Old, d.New)
		if !d.Between {
			line += " mixed"
		}
		if len(d.Rows) > 0 {
			line += fmt.Sprintf(" %q", d.Rows)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestNamesFirst: the release of a kernel stands before the many mitigations
// that came with it.
func TestNamesFirst(t *testing.T) {
	c := must(t, Options{Old: one(old(t, nil)), New: one(old(t, func(r *result.Result) {
		r.System.Kernel, r.System.CPUModel = "6.12.0", "B"
		r.System.Environment.Mitigations = map[string]string{"meltdown": "Mitigation: PTI"}
	}))})
	if d := c.Differences; len(d) != 2 || d[0].Path != "system.kernel" {
		t.Errorf("%q", told(d))
	}
}

// TestPolled: asked for and given is one difference, and so is what was given
// and not asked for; asked for and not given is none, and there is a warning.
func TestPolled(t *testing.T) {
	polled := func(asked result.Choice, given bool) []Document {
		return one(old(t, func(r *result.Result) { r.Spec.Polled, r.Granted.Polled = asked, given }))
	}
	asked, given := `settings/spec.polled/polled (-p): ["no"] ["yes"]`, `granted/granted.polled/polled: ["false"] ["true"]`
	for _, c := range []struct {
		old, new []Document
		want     []string
		alike    bool
	}{
		{polled(result.ChoiceNo, false), polled(result.ChoiceYes, true), []string{asked}, false},
		{polled(result.ChoiceNo, false), polled(result.ChoiceYes, false), []string{asked}, true},
		{polled(result.ChoiceYes, false), polled(result.ChoiceYes, true), []string{given}, false},
		{polled(result.ChoiceNo, false), polled(result.ChoiceAuto, true), []string{`settings/spec.polled/polled (-p): ["no"] ["auto"]`, given}, false},
	} {
		got := must(t, Options{Old: c.old, New: c.new})
		if d := cmp.Diff(c.want, told(got.Differences)); d != "" {
			t.Error(d)
		}
		if alike := strings.Contains(texts(got.Warnings), "polled (-p): asked for in different ways, and granted alike (false)"); alike != c.alike {
			t.Errorf("%q: %q", c.want, texts(got.Warnings))
		}
	}
}

func TestDifferences(t *testing.T) {
	disk := func(r *result.Result, scheduler string) {
		r.Spec.Targets = append(r.Spec.Targets, "/dev/nvme1n1")
		r.Targets = append(r.Targets, result.Target{Path: "/dev/nvme1n1", SizeBytes: 1 << 30, Model: "B"})
		for i := range r.Targets {
			r.Targets[i].Scheduler = scheduler
		}
	}
	memory := func(n int64) func(*result.Result) {
		return func(r *result.Result) { r.System.Environment.MemoryTotal = &n }
	}
	for name, c := range map[string]struct {
		old, new []func(*result.Result)
		want     []string
	}{
		"nothing": {old: []func(*result.Result){nil}, new: []func(*result.Result){nil}},
		"the treatment, which was granted, before the kernel": {
			old: []func(*result.Result){nil},
			new: []func(*result.Result){func(r *result.Result) {
				r.System.Kernel = "6.12"
				r.Spec.FixedBuffers, r.Granted.FixedBuffers = true, true
				r.Spec.SubmitBatch = 1
			}},
			want: []string{
				`settings/spec.submit_batch/submission batch (-s): ["32"] ["1"]`,
				`settings/spec.fixed_buffers/fixed buffers (-B): ["false"] ["true"]`,
				`kernel/system.kernel/release: ["6.1.0"] ["6.12"]`,
			},
		},
		"granted otherwise than asked": {
			old: []func(*result.Result){nil},
			new: []func(*result.Result){func(r *result.Result) { r.Granted.Polled, r.Granted.Dropped = true, []string{"SUBMIT_ALL"} }},
			want: []string{
				`granted/granted.dropped_flags/dropped flags: ["none"] ["SUBMIT_ALL"]`,
				`granted/granted.polled/polled: ["false"] ["true"]`,
			},
		},
		"within a side": {
			old:  []func(*result.Result){nil, func(r *result.Result) { r.System.Kernel = "6.2" }},
			new:  []func(*result.Result){nil},
			want: []string{`kernel/system.kernel/release: ["6.1.0" "6.2"] ["6.1.0"]`},
		},
		"within both": {
			old:  []func(*result.Result){nil, func(r *result.Result) { r.System.Kernel = "6.2" }},
			new:  []func(*result.Result){func(r *result.Result) { r.System.Kernel = "6.2" }, nil},
			want: []string{`kernel/system.kernel/release: ["6.1.0" "6.2"] ["6.2" "6.1.0"] mixed`},
		},
		"of two targets alike": {
			old:  []func(*result.Result){func(r *result.Result) { disk(r, "none") }},
			new:  []func(*result.Result){func(r *result.Result) { disk(r, "bfq") }},
			want: []string{`targets/targets.*.scheduler/scheduler of 2 targets: ["none"] ["bfq"]`},
		},
		"of one of two targets": {
			old:  []func(*result.Result){func(r *result.Result) { disk(r, "none") }},
			new:  []func(*result.Result){func(r *result.Result) { disk(r, "none"); r.Targets[1].Firmware, r.Targets[1].Model = "2", "C" }},
			want: []string{`targets/targets.1.model/target 1 model: ["B"] ["C"]`},
		},
		"in one configuration": {
			old:  []func(*result.Result){depth(1), depth(2)},
			new:  []func(*result.Result){depth(1), func(r *result.Result) { r.Spec.Depth = 2; r.Placements[0].CPU = 3 }},
			want: []string{`granted/placements.*.cpu/CPUs of the submitters: ["0"] ["3"] ["-d2"]`},
		},
		"a field that is no text": {
			old:  []func(*result.Result){func(r *result.Result) { r.Spec.SQPollCPU = -1; r.Spec.Targets, r.Targets = nil, nil }},
			new:  []func(*result.Result){func(r *result.Result) { r.Spec.Targets, r.Targets = nil, nil }},
			want: []string{`settings/spec.sqpoll_cpu/SQPOLL CPU: ["-1"] ["0"]`},
		},
		"left to the tool": {
			old:  []func(*result.Result){func(r *result.Result) { r.Spec.Polled = result.ChoiceAuto }},
			new:  []func(*result.Result){nil},
			want: []string{`settings/spec.polled/polled (-p): ["auto"] ["no"]`},
		},
		"a little memory": {old: []func(*result.Result){memory(1000)}, new: []func(*result.Result){memory(1030)}},
		"half the memory": {
			old: []func(*result.Result){memory(1000)}, new: []func(*result.Result){memory(500)},
			want: []string{`machine/system.environment.memory_total_bytes/memory total: ["1000"] ["500"]`},
		},
		"mitigations": {
			old:  []func(*result.Result){nil},
			new:  []func(*result.Result){func(r *result.Result) { r.System.Environment.Mitigations = map[string]string{"meltdown": "Vulnerable"} }},
			want: []string{`kernel/system.environment.mitigations.meltdown/mitigations meltdown: ["Not affected"] ["Vulnerable"]`},
		},
		"limits of groups, and not their names": {
			old: []func(*result.Result){groupsOf("/a", "cpu.max", "50000 100000")},
			new: []func(*result.Result){groupsOf("/b", "cpu.max", "70000 100000")},
			want: []string{
				`machine/system.environment.cgroups.*.limits/limits of control groups: ["cpu.max=50000 100000"] ["cpu.max=70000 100000"]`,
			},
		},
		"names of groups": {old: []func(*result.Result){groupsOf("/a", "x", "1")}, new: []func(*result.Result){groupsOf("/b", "x", "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			var o Options
			for _, f := range c.old {
				o.Old = append(o.Old, old(t, f))
			}
			for _, f := range c.new {
				o.New = append(o.New, old(t, f))
			}
			if d := cmp.Diff(c.want, told(must(t, o).Differences)); d != "" {
				t.Error(d)
			}
		})
	}
}

func groupsOf(path, name, value string) func(*result.Result) {
	return func(r *result.Result) {
		r.System.Environment.Cgroups = []result.Cgroup{{Version: 2, Path: path, Limits: []result.CgroupLimit{{Group: path, Name: name, Value: value}}}}
	}
}
