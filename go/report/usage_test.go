package report

import (
	"strings"
	"testing"

	"ringpeak/go/result"
)

// What is unknown is a question mark or is left out, and never a zero.
func TestUsageUnknown(t *testing.T) {
	r := twoFilesRun()
	r.Usage = &result.Usage{
		Submitters: []result.SubmitterUsage{{CPU: 0}, {Submitter: 1, CPU: -1}},
		Total:      result.ThreadUsage{SpanNS: second, Completed: 1},
	}
	r.Bound = &result.Bound{Verdict: result.BoundUnknown, Why: "the kernel does not tell how the thread spent its time"}
	text := render(t, StyleNative, r)
	for _, want := range []string{
		"\ncpu        ? busy: user=?, system=?, wait=?, ?ns/IO, switches=? vol + ? invol, faults=?\n",
		"\nbound      unknown: the kernel does not tell how the thread spent its time\n",
		"\n1          any       ?       ?       ?       ?        ?          ?            ?          ?       ?\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, no := range []string{"\ncounters", "\ninterrupts"} {
		if strings.Contains(text, no) {
			t.Errorf("%q is in\n%s", no, text)
		}
	}
	r.Usage, r.Bound = nil, nil
	if text := render(t, StyleNative, r); strings.Contains(text, "busy") || strings.Contains(text, "bound") {
		t.Errorf("no usage, and yet\n%s", text)
	}
}

func TestUsageLines(t *testing.T) {
	r := oneFileRun()
	part := 0.5
	r.Usage.Counted, r.Usage.Total.PMUShare = "user", &part
	r.Usage.Machine.DeviceInterrupts = map[string]int64{"b": 2, "a": 1}
	text := render(t, StyleNative, r)
	for _, want := range []string{"IPC=2.00, user space only,\n           scaled up from 50% of the time\n", "\ninterrupts a=1, b=2, BLOCK softirqs=0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	r.Usage.Machine.DeviceInterrupts = map[string]int64{"a": 1, "b": 2, "c": 3, "d": 4, "e": 17417500}
	if text := render(t, StyleNative, r); !strings.Contains(text, "\ninterrupts 5 devices=17417510 (1.00/IO), BLOCK") {
		t.Errorf("five devices:\n%s", text)
	}
	r.Bound.Verdict = result.BoundMixed
	if text := render(t, StyleNative, r); !strings.Contains(text, "\nbound      mixed: ") {
		t.Errorf("mixed:\n%s", text)
	}
}
