package main

import (
	"os"
	"strings"
	"testing"
)

const sysctlDisabled = "/proc/sys/kernel/io_uring_disabled"

// TestDisabledBySysctl: with kernel.io_uring_disabled=1 somebody without
// privileges is told so. 2 would refuse root as well, and with it every test
// that runs at the same time.
func TestDisabledBySysctl(t *testing.T) {
	needMeasure(t)
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	before, err := os.ReadFile(sysctlDisabled)
	if err != nil {
		t.Skip("Linux 6.6 has it: ", err)
	}
	if s := strings.TrimSpace(string(before)); s != "0" {
		t.Skipf("%s is %s", sysctlDisabled, s)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(sysctlDisabled, before, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(sysctlDisabled, []byte("1"), 0); err != nil {
		t.Skip(err)
	}
	o := finish(t, command(t, "sandbox", "-nobody", "--", "-N1", "-r0.1"))
	if o.status != 4 || o.stdout != "" {
		t.Errorf("status %d, want 4: %s", o.status, o.stdout)
	}
	oneComplaint(t, o.stderr, "sysctl kernel.io_uring_disabled is 1", "set it to 0", "kernel.io_uring_group")
	if o := ringpeak(t, "-N1", "-r0.1"); o.status != 0 {
		t.Errorf("root is refused: %s", o.stderr)
	}
}
