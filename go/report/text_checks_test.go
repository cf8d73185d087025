package report

import (
	"bytes"
	"testing"

	"ringpeak/go/result"
)

// TestTextChecks: the worst first, the remedy where something is wrong, and
// nothing that has to be unknown takes more room than it must.
func TestTextChecks(t *testing.T) {
	var b bytes.Buffer
	NewText(&b).checks([]result.Check{
		{Code: "accounting", State: result.CheckPass, Text: "fine", Advice: "none"},
		{Code: "throttled", State: result.CheckUnknown, Text: "no CPU quota held it back; thermal throttling is not counted on this machine", Advice: "look"},
		{Code: "range", State: result.CheckWarn, Text: "small", Advice: "take more"},
		{Code: "polled", State: result.CheckFail, Text: "not\npolled", Advice: "use -p0"},
		{Code: "io-wq", State: result.CheckWarn, Text: "some"},
	})
	const want = `
checks     1 passed, 1 failed, 2 warnings, 1 unknown
  FAIL     polled: not\npolled
           -> use -p0
  WARN     range: small
           -> take more
  WARN     io-wq: some
  UNKNOWN  throttled: no CPU quota held it back; thermal throttling is not counted on this machine
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	b.Reset()
	NewText(&b).checks([]result.Check{{Code: "range", State: result.CheckWarn, Text: "small"}})
	if want := "\nchecks     1 warning\n  WARN     range: small\n"; b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
}

// TestNoEmptyLines: a target of which something is not known leaves no gap.
func TestNoEmptyLines(t *testing.T) {
	var b bytes.Buffer
	NewText(&b).target(0, &result.Target{Path: "f", Kind: result.KindFile, WhyNotPoll: "it is a file"}, 4096, nil)
	if bytes.Contains(b.Bytes(), []byte("\n\n")) || bytes.Contains(b.Bytes(), []byte(" \n")) {
		t.Errorf("%s", &b)
	}
}
