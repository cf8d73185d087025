package bench

import "testing"

func TestBefore(t *testing.T) {
	for release, want := range map[string]bool{
		"6.1.0-49-cloud-amd64": true, "6.4.16": true, "5.10.0": true, "6.5.0-rc1": false, "6.12.3": false, "7.0.0": false,
		"": false, "unknown": false, "6": false,
	} {
		if got := before(release, 6, 5); got != want {
			t.Errorf("before(%q, 6, 5) = %v", release, got)
		}
	}
}
