package sysfs

import (
	"slices"
	"strings"
	"testing"
)

func TestInterrupts(t *testing.T) {
	in, err := fixture(t, "generic").Interrupts()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(in.CPUs, []int{0, 1, 3}) {
		t.Errorf("CPUs %v, want 0, 1, 3", in.CPUs)
	}
	got := map[int]string{}
	for _, l := range in.Lines {
		got[l.IRQ] = strings.Join(l.Actions, "|")
		if len(l.Counts) != 3 {
			t.Errorf("%d has %d counts", l.IRQ, len(l.Counts))
		}
	}
	for irq, want := range map[int]string{
		0: "timer", 9: "acpi", 25: "nvme0q1", 27: "nvme1q0|nvme1q1", 29: "nvme2q1", 30: "nvme22q1", 36: "virtio0-req.0", 40: "arch_timer",
	} {
		if got[irq] != want {
			t.Errorf("%d: handlers %q, want %q", irq, got[irq], want)
		}
	}
	if len(in.Lines) != 14 {
		t.Errorf("%d lines, want the 14 with numbers", len(in.Lines))
	}
	for owner, want := range map[string]int{"nvme0": 2, "nvme1": 1, "nvme2": 1, "nvme22": 1, "virtio0": 1, "nvme": -1, "nvme3": -1, "": -1} {
		n, known := in.Queues(owner)
		if known != (want >= 0) || known && n != want {
			t.Errorf("%q: %d queues, known %v, want %d", owner, n, known, want)
		}
	}
}

func TestInterruptsSince(t *testing.T) {
	tree := fixture(t, "generic")
	before, err := tree.Interrupts()
	if err != nil {
		t.Fatal(err)
	}
	// CPU 3 is gone, CPU 2 has come, one counter wrapped, and one line is new.
	after, err := ParseInterrupts(strings.NewReader(`            CPU0       CPU1       CPU2
  24:       1000         10          1  PCI-MSIX-0000:00:02.0   0-edge      nvme0q0
  25:          4          1         50  PCI-MSIX-0000:00:02.0   1-edge      nvme0q1
  26:          5         28          0  PCI-MSIX-0000:00:02.0   2-edge      nvme0q2
  27:         21          5          0   PCI-MSI 32768-edge      nvme1q0, nvme1q1
  29:         70          0          3  IR-PCI-MSIX-0000:00:04.0   1-edge      nvme2q1
  99:         70          0          3  IR-PCI-MSIX-0000:00:04.0   2-edge      nvme2q2
  36:         13          0          4  PCI-MSIX-0000:00:06.0   1-edge      virtio0-req.0
`))
	if err != nil {
		t.Fatal(err)
	}
	for owner, want := range map[string][2]uint64{
		"nvme0": {4 + 11 + 1, 2}, "nvme1": {1, 1}, "nvme2": {0, 2}, "virtio0": {10, 1}, "nvme9": {0, 0},
	} {
		if n, lines := after.Since(before, owner); n != want[0] || uint64(lines) != want[1] {
			t.Errorf("%s: %d interrupts on %d lines, want %v", owner, n, lines, want)
		}
	}
}

func TestMalformedInterrupts(t *testing.T) {
	for _, bad := range []string{
		"", "\n", "  CPU0 DPU1\n", "  CPUx\n",
		"  CPU0 CPU1\n 24: 1\n", "  CPU0\n 24: -1  X  y\n", "  CPU0\n 24:\n",
	} {
		if in, err := ParseInterrupts(strings.NewReader(bad)); err == nil {
			t.Errorf("ParseInterrupts(%q) = %+v, want an error", bad, in)
		}
	}
	in, err := ParseInterrupts(strings.NewReader("  CPU0\n 24: 5\n ERR: x\nno colon\n"))
	if err != nil || len(in.Lines) != 1 || in.Lines[0].Counts[0] != 5 || in.Lines[0].Actions != nil {
		t.Errorf("bare line: %+v, %v", in, err)
	}
}

func TestInterruptsOfThisMachine(t *testing.T) {
	in, err := At("").Interrupts()
	if err != nil {
		t.Skip(err)
	}
	if again, _ := At("").Interrupts(); len(in.CPUs) == 0 || len(in.Lines) == 0 || again == nil {
		t.Errorf("%d CPUs, %d lines", len(in.CPUs), len(in.Lines))
	}
}

func FuzzParseInterrupts(f *testing.F) {
	f.Add("            CPU0       CPU1\n  24:   1   2  PCI-MSI 1-edge      nvme0q0, nvme0q1\n NMI: 0 0 x\n")
	f.Add("  CPU0\n 1: 4294967296  a  b")
	f.Fuzz(func(t *testing.T, s string) {
		in, err := ParseInterrupts(strings.NewReader(s))
		if err != nil {
			return
		}
		for _, l := range in.Lines {
			if len(l.Counts) != len(in.CPUs) {
				t.Fatalf("%d counts for %d CPUs", len(l.Counts), len(in.CPUs))
			}
		}
		if n, _ := in.Since(in, "nvme0"); n != 0 {
			t.Fatalf("%d interrupts since itself", n)
		}
	})
}
