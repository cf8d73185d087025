package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringpeak/go/result"
)

// TestLabPassthrough reads every kind of namespace in every way. What arrives
// is for csrc/test/test_nvme.c; here it is the whole program that must do it.
func TestLabPassthrough(t *testing.T) {
	kernel := labFrom(t, 601, "passthrough with registered buffers")
	for _, line := range []string{
		"-p0 -b512 nvme-poll-char",
		"-p1 -b512 nvme-poll-char",
		"-p0 -B0 nvme-poll-char",
		"-p1 -B0 nvme-poll-char",
		"-p0 -B0 -V1 nvme-poll-char",
		"-p1 -B0 -V1 nvme-poll-char",
		"-p1 -n2 nvme-poll-char",
		"-p0 -n2 nvme-poll-char nvme-poll-4k-char",
		"-p1 nvme-poll-char nvme-poll-4k-char",
		"-p1 -t1 -b1536 nvme-poll-char",
		"-p0 -R0 -b24k -d7 -s3 -c2 nvme-poll-4k-char",
		"-p1 -F0 -X0 -d1 nvme-poll-char",
		"-p0 -e1 nvme-poll-char",
		"-p0 --sqpoll --sqpoll-idle 10 nvme-poll-char",
		"-b512 nvme-irq-char",
		"nvme-pi-char",
		"-p0 -b8k nvme-ms8-char",
		"-p1 nvme-ms8-char",
		"-b12k nvme-ms64-char",
		"-b512 nvme-pi-inter-char",
		"-b8k nvme-ms8-inter-char",
		"-b16k nvme-mdts-char",
		"-p1 nvme-poll-4k-char nvme-ms8-char nvme-ms8-inter-char nvme-pi-char",
	} {
		r := labGood(t, "-u1"+labShort+line)
		if !r.Spec.Passthrough || r.Granted.Opcode != "URING_CMD" {
			t.Errorf("%s: opcode %s", line, r.Granted.Opcode)
		}
		for _, flag := range []string{"SQE128", "CQE32"} {
			if !strings.Contains(strings.Join(r.Granted.SetupFlags, " "), flag) {
				t.Errorf("%s: no %s in %v", line, flag, r.Granted.SetupFlags)
			}
		}
	}
	// Registered and vectored: from 6.15 on, which is said before.
	const both = "-u1 -B1 -V1" + labShort + "nvme-poll-char"
	if kernel >= 615 {
		labGood(t, both)
	} else {
		labRefused(t, result.StatusSetup, both, "-B0", "6.15")
	}
}

// TestLabGeometry holds the blocks of a namespace against what the kernel says
// of its twin.
func TestLabGeometry(t *testing.T) {
	labFrom(t, 601, "passthrough with registered buffers")
	for name, want := range map[string]int64{
		"nvme-small -b512": 2048, "nvme-small -b4096": 256, "nvme-small -b1536": 682,
		"nvme-small-4k -b4096": 256, "nvme-small-4k -b12k": 85,
		"nvme-small-inter -b512": 2016, "nvme-small-inter -b1536": 672, "nvme-small-ms8 -b32k": 31,
	} {
		dev, size, _ := strings.Cut(name, " ")
		r := labGood(t, "-u1 -r0.05 "+size+" "+dev+"-char")
		if len(r.Targets) != 1 || r.Targets[0].Blocks != want {
			t.Errorf("%s: %+v", name, r.Targets)
		}
	}
}

// TestLabTwin: the wrong one of the two nodes is refused with the name of the
// right one, or taken with --follow.
func TestLabTwin(t *testing.T) {
	labFrom(t, 601, "passthrough with registered buffers")
	block, err := filepath.EvalSymlinks("/dev/lab/nvme-poll")
	char, err2 := filepath.EvalSymlinks("/dev/lab/nvme-poll-char")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	labRefused(t, result.StatusUsage, "-u1"+labShort+"nvme-poll", char)
	labRefused(t, result.StatusUsage, labShort+"nvme-poll-char", block, "-u1")
	for line, want := range map[string]string{"-u1 --follow nvme-poll": char, "--follow nvme-poll-char": block} {
		if r := labGood(t, line+labShort); len(r.Targets) != 1 || r.Targets[0].Resolved != want {
			t.Errorf("%s: %+v", line, r.Targets)
		}
	}
	labRefused(t, result.StatusSetup, "-u1"+labShort+"/dev/nvme0", "controller")
	labRefused(t, result.StatusUsage, "-u1"+labShort+"virtio", "NVMe")
}

// TestLabLimits: what no command can do is refused with the number.
func TestLabLimits(t *testing.T) {
	labFrom(t, 601, "passthrough with registered buffers")
	labRefused(t, result.StatusUsage, "-u1"+labShort+"-b1000 nvme-poll-char", "512")
	labRefused(t, result.StatusUsage, "-u1"+labShort+"-b512 nvme-poll-4k-char", "4096")
	labRefused(t, result.StatusUsage, "-u1"+labShort+"-b32k nvme-mdts-char", "16384")
	labRefused(t, result.StatusUsage, "-u1"+labShort+"-b6000 nvme-ms8-char", "4096")
	labRefused(t, result.StatusUsage, labShort+"-b512 nvme-poll-4k", "4096")
	labRefused(t, result.StatusUsage, "-u1"+labShort+"-b1m nvme-poll-char", "524288")
}

// TestLabErrors reads a namespace that has a bad sector: counted apart, in
// NVMe's own words, and by the same policy through either node.
func TestLabErrors(t *testing.T) {
	kernel := labFrom(t, 601, "passthrough with registered buffers")
	for _, c := range []struct{ line, name string }{
		{"-u1 -p0 nvme-bad-char", "Unrecovered Read Error"},
		{"-u1 -p1 nvme-bad-char", "Unrecovered Read Error"},
		{"-p0 nvme-bad", "ENODATA"},
		{"-p1 nvme-bad", "ENODATA"},
	} {
		if kernel < 605 && strings.HasPrefix(c.line, "-u1 -p1") {
			labFirstError(t, c.line, c.name)
			continue
		}
		o, r := labRun(t, "-b4096"+labShort+c.line)
		if o.status != result.StatusIO || r == nil {
			t.Errorf("%s: status %d: %s", c.line, o.status, o.stderr)
			continue
		}
		total, e := r.Summary.Total, r.Errors
		if len(e) != 1 || !strings.EqualFold(e[0].Name, c.name) && !strings.Contains(e[0].Text, c.name) || (e[0].NVMe != 0) == (e[0].Errno != 0) {
			t.Errorf("%s: errors %+v", c.line, e)
		}
		// One block of 256 is bad.
		if total.Completed == 0 || total.Failed == 0 || total.Failed > total.Completed/10 || r.End.Reason != "time" || !r.End.Drained {
			t.Errorf("%s: %+v, %+v", c.line, total, r.End)
		}
		t.Logf("%s: %d completed, %d failed: %s; %s", c.line, total.Completed, total.Failed, e[0].Text, o.stderr)

		o, r = labRun(t, "-b4096 --max-errors 3 -r20 "+c.line)
		if o.status != result.StatusIO || r == nil || r.End.Reason == "time" || !r.End.Drained || o.took > runLimit/2 {
			t.Errorf("%s, three errors: status %d after %v: %s", c.line, o.status, o.took, o.stderr)
		}
	}
}

// labFirstError: before 6.5 polled passthrough ends at its first error, since
// going on may take the kernel down.
func labFirstError(t *testing.T, line, name string) {
	t.Helper()
	o, r := labRun(t, "-b4096 -r20 "+line)
	if o.status != result.StatusIO || r == nil || r.End.Reason != "error" || !r.End.Drained || o.took > runLimit/2 {
		t.Errorf("%s: status %d after %v: %s", line, o.status, o.took, o.stderr)
		return
	}
	wantNote(t, r, "first-error-ends", "6.5")
	if !strings.Contains(o.stderr, "first error") || !strings.Contains(o.stderr, name) {
		t.Errorf("%s: %s", line, o.stderr)
	}
}

// TestLabNobody: a user who may read the node. Before 6.2 that is not enough.
func TestLabNobody(t *testing.T) {
	kernel := labFrom(t, 601, "passthrough with registered buffers")
	node, err := filepath.EvalSymlinks("/dev/lab/nvme-poll-char")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(node, 0o644); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(node, 0o600)
	for _, p := range []string{"-p0", "-p1"} {
		o := finish(t, command(t, "sandbox", append([]string{"-nobody", "--"}, labArgs("-u1 -d16 "+p+labShort+"nvme-poll-char")...)...))
		if kernel >= 602 {
			if o.status != 0 || !strings.Contains(o.stdout, "IOPS=") {
				t.Errorf("%s: status %d: %s%s", p, o.status, o.stdout, o.stderr)
			}
			continue
		}
		if o.status != result.StatusSetup {
			t.Errorf("%s: status %d: %s", p, o.status, o.stderr)
		}
		oneComplaint(t, o.stderr, "CAP_SYS_ADMIN", "6.2")
		t.Log(o.stderr)
	}
}
