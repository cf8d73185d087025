package spelling

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"iops", "iops", 0},
		{"iosp", "iops", 2},
		{"detph", "depth", 2},
		{"kitten", "sitting", 3},
		{strings.Repeat("x", 65), "x", 65},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%.9q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"iops", "iops_mean", "iops_max", "errors", "latency_mean"}
	for given, want := range map[string]string{
		"iosp": "", "iop": "iops", "ios": "iops", "iops_men": "iops_mean", "error": "errors", "err": "errors",
		"lat": "latency_mean", "la": "", "": "", "whatever": "", "iops_maz": "iops_max",
	} {
		if got := Nearest(given, words); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
