package device

import (
	"fmt"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

func TestPollQueues(t *testing.T) {
	plain, debug := tree(t, "generic"), tree(t, "generic", "debugfs")
	hw, virtual := tree(t, "nvme", "stacked"), tree(t, "virtual")
	for _, c := range []struct {
		tree    sysfs.Tree
		dev     sysfs.Dev
		want    string // count: each queue with its CPUs; owners of interrupts
		through result.Choice
		why     string
	}{
		{plain, sysfs.Dev{Major: 259, Minor: 0}, "2: nvme0/2 [0 2], nvme0/3 [1 3]; nvme0", result.ChoiceYes, ""},
		{plain, sysfs.Dev{Major: 259, Minor: 1}, "2: nvme0/2 [0 2], nvme0/3 [1 3]; nvme0", result.ChoiceYes, ""},
		{debug, sysfs.Dev{Major: 259, Minor: 0}, "3: nvme0/1 [1 3], nvme0/2 [0 2], nvme0/3 [1 3]; nvme0", result.ChoiceYes, ""},
		{
			plain,
			sysfs.Dev{Major: 259, Minor: 4},
			"0: ; nvme1", result.ChoiceNo,
			"passthrough would complete by interrupts without saying so: nvme1n1 has no poll queues (queue/io_poll is 0); boot with nvme.poll_queues=N, or reload or rebind the nvme driver with that parameter",
		},
		{plain, sysfs.Dev{Major: 259, Minor: 5}, "1: nvme2/1 [0 1 2 3]; nvme2", result.ChoiceYes, ""},
		{plain, sysfs.Dev{Major: 254, Minor: 0}, "1: virtio0/1 [0 1 2 3]; virtio0", result.ChoiceYes, ""},
		// The least of its members, and the queues of all.
		{plain, sysfs.Dev{Major: 253, Minor: 0}, "1: nvme0/2 [0 2], nvme0/3 [1 3], virtio0/1 [0 1 2 3]; nvme0 virtio0", result.ChoiceYes, ""},
		// No list of interrupts: there are some, nobody knows how many.
		{hw, sysfs.Dev{Major: 259, Minor: 0}, "?: ; nvme0", result.ChoiceYes, ""},
		{hw, sysfs.Dev{Major: 252, Minor: 1}, "0: ; ", "", ""}, // dm with io_poll 0
		{hw, sysfs.Dev{Major: 9, Minor: 0}, "0: ; ", "", ""},
		{virtual, sysfs.Dev{Major: 252, Minor: 5}, "0: ; ", "", ""},
		{virtual, sysfs.Dev{Major: 8, Minor: 0}, "?: ; ", result.ChoiceAuto, ""}, // no io_poll
	} {
		tg, b := described(t, c.tree, c.dev)
		pollQueues(tg, b, c.tree)
		if got := sayPoll(tg); got != c.want {
			t.Errorf("%s: %q, want %q", b.Name, got, c.want)
		}
		if c.through == "" && c.why == "" && tg.PollQueues != nil && *tg.PollQueues == 0 {
			continue
		}
		if choice, why := passthroughPolling(tg, b); choice != c.through || why != c.why {
			t.Errorf("%s through passthrough: %q because %q\nwant %q because %q", b.Name, choice, why, c.through, c.why)
		}
	}
	tg := &result.Target{}
	pollQueues(tg, nil, plain)
	if choice, _ := passthroughPolling(tg, nil); tg.PollQueues != nil || choice != result.ChoiceAuto {
		t.Errorf("without a disk: %+v, %q", tg, choice)
	}
}

func sayPoll(tg *result.Target) string {
	count := "?"
	if tg.PollQueues != nil {
		count = fmt.Sprint(*tg.PollQueues)
	}
	var list []string
	for _, q := range tg.PollMap {
		list = append(list, fmt.Sprintf("%s/%d %v", q.Device, q.Index, q.CPUs))
	}
	return count + ": " + strings.Join(list, ", ") + "; " + strings.Join(tg.IRQOwners, " ")
}

func TestInterruptsSince(t *testing.T) {
	parse := func(s string) *Interrupts {
		in, err := sysfs.ParseInterrupts(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		return &Interrupts{in}
	}
	before := parse("  CPU0 CPU1\n 24: 1 2  M 1-edge      nvme0q1\n 25: 7 7  M 1-edge      nvme1q1\n")
	after := parse("  CPU0 CPU1\n 24: 4 2  M 1-edge      nvme0q1\n 25: 7 9  M 1-edge      nvme1q1\n")
	ts := []result.Target{{IRQOwners: []string{"nvme0"}}, {IRQOwners: []string{"nvme0"}}, {IRQOwners: []string{"nvme0", "nvme1"}}, {}, {IRQOwners: []string{"nvme0", "nvme9"}}}
	for i, want := range []int64{3, 3, 5} {
		wantOpt(t, fmt.Sprint("target ", i), after.Since(before, &ts[i]), want)
	}
	for _, i := range []int{3, 4} {
		if n := after.Since(before, &ts[i]); n != nil {
			t.Errorf("target %d: %d, want unknown", i, *n)
		}
	}
	if got := fmt.Sprint(after.PerDevice(before, ts)); got != "map[nvme0:3 nvme1:2]" {
		t.Errorf("per device: %s", got)
	}
	if _, err := ReadInterrupts(t.TempDir()); err == nil {
		t.Error("read a list that is not there")
	}
}
