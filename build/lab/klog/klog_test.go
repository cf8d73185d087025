package klog

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every bad line is found by the rule that stands beside it, with and without a time stamp.
func TestBadLines(t *testing.T) {
	for _, c := range []struct{ rule, line string }{
		{"panic", "Kernel panic - not syncing: Fatal exception"},
		{"oops", "BUG: kernel NULL pointer dereference, address: 0000000000000000"},
		{"oops", "BUG: unable to handle page fault for address: ffffa0b1c2d3e4f5"},
		{"oops", "Oops: 0000 [#1] PREEMPT SMP NOPTI"},
		{"oops", "Oops: general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] SMP"},
		{"oops", "general protection fault, probably for non-canonical address 0x6b6b6b6b: 0000 [#1] PREEMPT SMP"},
		{"oops", "kernel BUG at block/blk-mq.c:1234!"},
		{"oops", "BUG: scheduling while atomic: ringpeak/123/0x00000002"},
		{"lockup", "watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [ringpeak:123]"},
		{"warning", "WARNING: CPU: 0 PID: 123 at io_uring/io_uring.c:2700 io_ring_exit_work+0x4d2/0x500"},
		{"warning", "WARNING: io_uring/rw.c:100 at io_read+0x10/0x20, CPU#0: ringpeak/99"},
		{"warning", "------------[ cut here ]------------"},
		{"warning", "INFO: possible recursive locking detected"},
		{"sanitizer", "UBSAN: array-index-out-of-bounds in drivers/x.c:10:2"},
		{"sanitizer", "refcount_t: underflow; use-after-free."},
		{"hung task", "INFO: task ringpeak:123 blocked for more than 30 seconds."},
		{"RCU stall", "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:"},
		{"RCU stall", "rcu: INFO: rcu_sched self-detected stall on CPU"},
		{"RCU stall", "INFO: rcu_tasks detected stalls on tasks:"},
		{"RCU stall", "rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-.... } 6006 jiffies s: 509 root: 0x2/."},
		{"out of memory", "Out of memory: Killed process 321 (ringpeak) total-vm:1kB"},
		{"I/O error", "blk_update_request: I/O error, dev nvme0n1, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0"},
		{"I/O error", "I/O error, dev vda, sector 2048 op 0x0:(READ) flags 0x4000000 phys_seg 1 prio class 2"},
		{"I/O error", "Buffer I/O error on dev nvme0n1, logical block 0, async page read"},
		{"I/O error", "critical medium error, dev nvme0n1, sector 0 op 0x0:(READ)"},
		{"I/O error", "protection error, dev nvme1n1, sector 0 op 0x0:(READ) flags 0x0"},
		{"block time-out", "nvme nvme0: I/O 23 QID 1 timeout, aborting"},
		{"block time-out", "nvme nvme0: I/O 7 QID 0 timeout, reset controller"},
		{"block time-out", "nvme nvme0: I/O tag 23 (1017) opcode 0x2 (I/O Cmd) QID 1 timeout, aborting req_op:READ(0) size:512"},
		{"block time-out", "nvme nvme0: I/O 12 QID 2 timeout, completion polled"},
		{"block time-out", "nvme nvme0: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10"},
		{"file system", "EXT4-fs error (device vdb): ext4_lookup:1690: inode #2: comm ls: iget: checksum invalid"},
		{"block time-out", "null_blk: rq 00000000deadbeef timed out"},
	} {
		for _, prefix := range []string{"", "[    5.123456] ", "[12345.123456][  T123] "} {
			found, err := Scan(strings.NewReader(prefix+c.line+"\r\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != 1 || found[0].Rule != c.rule || found[0].Line != 1 {
				t.Errorf("%q: %v, want rule %q", prefix+c.line, found, c.rule)
			}
		}
	}
}

// Lines that only look bad: each is from the log of a run without fault.
func TestGoodLines(t *testing.T) {
	for _, line := range []string{
		"nvme nvme0: 2/0/2 default/read/poll queues",
		"nvme nvme0: Shutdown timeout set to 8 seconds",
		"rcu: \tRCU calculated value of scheduler-enlistment delay is 25 jiffies.",
		"rcu: Hierarchical RCU implementation.",
		"Spectre V2 : User space: Vulnerable",
		"null_blk: disk null-irq created",
		"hung_task_timeout is 30",
		"x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'",
		"random: crng init done",
		"Kernel command line: console=ttyS0 panic=-1",
		"EXT4-fs (vdb): mounted filesystem without journal. Opts: (null)",
		"ACPI: PM: Preparing to enter system sleep state S5",
	} {
		if found, _ := Scan(strings.NewReader("[    1.000000] "+line), nil); len(found) != 0 {
			t.Errorf("%q: %v", line, found)
		}
	}
}

func TestAllowed(t *testing.T) {
	log := "[ 1.0] lab: begin bad blocks\n[ 1.1] I/O error, dev nullb5, sector 2048\n[ 1.2] I/O error, dev nvme0n1, sector 8\n"
	found, err := Scan(strings.NewReader(log), []*regexp.Regexp{regexp.MustCompile(`dev nullb5,`)})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Line != 3 || found[0].After != "begin bad blocks" {
		t.Errorf("found %+v", found)
	}
}

// What the lab writes into the log itself names commands, and those may contain anything.
func TestOwnMarksAreNotJudged(t *testing.T) {
	if found, _ := Scan(strings.NewReader("[    3.000000] lab: begin echo BUG: Oops WARNING: I/O error\n"), nil); len(found) != 0 {
		t.Error(found)
	}
}

// The ends of logs that the lab recorded: nothing is in NAME-good.log, something is in NAME-bad.log.
func TestRecordedLogs(t *testing.T) {
	logs, err := filepath.Glob("testdata/*.log")
	if err != nil || len(logs) < 2 {
		t.Fatalf("testdata: %v, %v", logs, err)
	}
	for _, name := range logs {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Scan(strings.NewReader(string(text)), nil)
		if err != nil {
			t.Fatal(err)
		}
		bad := strings.HasSuffix(name, "-bad.log")
		if bad != (len(found) > 0) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
