package sysfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTSC(t *testing.T) {
	const flags = "processor\t: 0\nflags\t\t: fpu constant_tsc rep_good nonstop_tsc tsc\n"
	for _, tt := range []struct{ clocksource, cpuinfo, why string }{
		{"tsc\n", flags, ""},
		{"kvm-clock\n", flags, "kvm-clock"},
		{"hpet\n", flags, "hpet"},
		{"", flags, "not known"},
		{"tsc\n", strings.Replace(flags, "constant_tsc", "", 1), "constant_tsc"},
		{"tsc\n", strings.Replace(flags, "nonstop_tsc", "nonstop_tsc_s3", 1), "nonstop_tsc"},
		{"tsc\n", "processor\t: 0\nFeatures\t: fp asimd\n", "constant_tsc"},
		{"tsc\n", "", "constant_tsc"},
	} {
		root := t.TempDir()
		for path, text := range map[string]string{
			"sys/devices/system/clocksource/clocksource0/current_clocksource": tt.clocksource,
			"proc/cpuinfo": tt.cpuinfo,
		} {
			if text == "" {
				continue
			}
			file := filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		why := At(root).TSC().WhyNot()
		if (why == "") != (tt.why == "") || !strings.Contains(why, tt.why) {
			t.Errorf("%q, %q: %q, want %q", tt.clocksource, tt.cpuinfo, why, tt.why)
		}
	}
}
