package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// TestAssertions: all that are given count, in their order, whatever they hold.
func TestAssertions(t *testing.T) {
	for _, c := range []struct {
		args, want []string
	}{
		{[]string{"f"}, nil},
		{[]string{"f", "--assert", "iops>=5M"}, []string{"iops>=5M"}},
		{[]string{"--assert=errors==0", "f"}, []string{"errors==0"}},
		{[]string{"--assert", "a", "f", "--assert=b", "--assert", "a"}, []string{"a", "b", "a"}},
		{[]string{"f", "--assert", "a,b", "--assert= c d "}, []string{"a,b", " c d "}},
		{[]string{"f", "--assert=-x", "-d3", "--assert", "<"}, []string{"-x", "<"}},
	} {
		req, err := parse(c.args)
		if err != nil {
			t.Errorf("%q: %v", c.args, err)
			continue
		}
		if d := cmp.Diff(c.want, req.Spec.Assertions); d != "" {
			t.Errorf("%q: (-want +got)\n%s", c.args, d)
		}
	}
	argv, err := Options().Normalise([]string{"f", "--assert", "a,b", "--assert=c"})
	if want := []string{"--assert=a,b", "--assert=c", "--", "f"}; err != nil || !slices.Equal(argv, want) {
		t.Errorf("%q, %v", argv, err)
	}
	for _, args := range [][]string{{"f", "--assert"}, {"f", "--assert="}, {"f", "--assert", "--json"}} {
		_, err := parse(args)
		wantError(t, err, result.StatusUsage, "--assert")
	}
}

// TestNoCeiling: a ceiling unless it is declined, and none of a ceiling.
func TestNoCeiling(t *testing.T) {
	for line, want := range map[string]bool{
		"f": true, "f -a1": true, "f --no-ceiling": false, "f --no-ceiling=1": false, "f --no-ceiling=0": true,
		"--no-ceiling f": false, "-N1": false, "-N1 --no-ceiling=0": false,
	} {
		if got := mustParse(t, line).Spec.Ceiling; got != want {
			t.Errorf("%s: ceiling %v", line, got)
		}
	}
}
