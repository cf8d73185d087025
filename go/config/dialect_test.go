package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// realLine is a command line from a mailing list or a commit, after the
// program's name.
type realLine struct {
	line string
	want result.Spec
}

func realLines() []realLine {
	const yes, no = result.ChoiceYes, result.ChoiceNo
	return []realLine{
		{
			"-b512 -d128 -s32 -c32 -p1 -F1 -B1 -n2 /dev/nvme1n1 /dev/nvme2n1",
			with(defaults("/dev/nvme1n1", "/dev/nvme2n1"), func(s *result.Spec) { s.BlockSize, s.Polled, s.Threads = 512, yes, 2 }),
		},
		{
			"-b512 -d128 -s32 -c32 -p1 -F1 -B1 -D1 -n2 /dev/nvme1n1 /dev/nvme2n1",
			with(defaults("/dev/nvme1n1", "/dev/nvme2n1"), func(s *result.Spec) { s.BlockSize, s.Polled, s.Threads = 512, yes, 2 }),
		},
		{
			"-d128 -b4096 -s31 -c16 -p1 -F1 -B1 -n1 -R1 -X1 /dev/dm-0",
			with(defaults("/dev/dm-0"), func(s *result.Spec) { s.SubmitBatch, s.CompleteBatch, s.Polled = 31, 16, yes }),
		},
		{
			"-b512 -d128 -c32 -s32 -p1 -F1 -B1 -O0 -n1 -u1 /dev/ng0n1",
			with(defaults("/dev/ng0n1"), func(s *result.Spec) { s.BlockSize, s.Polled, s.Direct, s.Passthrough = 512, yes, false, true }),
		},
		{
			"-b512 -d256 -c32 -s32 -p1 -F1 -B1 -O0 -n2 -u1 -r4 /dev/ng0n1 /dev/ng1n1",
			with(defaults("/dev/ng0n1", "/dev/ng1n1"), func(s *result.Spec) {
				s.BlockSize, s.Depth, s.Polled, s.Direct, s.Threads, s.Passthrough, s.RuntimeNS = 512, 256, yes, false, 2, true, 4e9
			}),
		},
		{
			"-b512 -d64 -c2 -s2 -p1 -F1 -B1 -O0 -n1 -V1 -u1 -r4 /dev/ng1n1",
			with(defaults("/dev/ng1n1"), func(s *result.Spec) {
				s.BlockSize, s.Depth, s.SubmitBatch, s.CompleteBatch, s.Polled = 512, 64, 2, 2, yes
				s.Direct, s.Vectored, s.Passthrough, s.RuntimeNS = false, true, true, 4e9
			}),
		},
		{
			"-d 4096 -s 128 -c 128 -b 4096 -p 1 -B 1 -F 1 -n 4 -O 0 -r 360 -R 1 -u 1 -- /dev/ng2n1",
			with(defaults("/dev/ng2n1"), func(s *result.Spec) {
				s.Depth, s.SubmitBatch, s.CompleteBatch, s.Polled, s.Threads = 4096, 128, 128, yes, 4
				s.Direct, s.RuntimeNS, s.Passthrough = false, 360e9, true
			}),
		},
		{
			"-p0 /dev/ublkb1",
			with(defaults("/dev/ublkb1"), func(s *result.Spec) { s.Polled = no }),
		},
		{
			"-n1 -r4 /dev/nvme0n1 /dev/nvme1n1",
			with(defaults("/dev/nvme0n1", "/dev/nvme1n1"), func(s *result.Spec) { s.RuntimeNS = 4e9 }),
		},
		{
			"-d128 -s32 -c32 -N1",
			with(defaults(), nop),
		},
	}
}

// nop is what -N1 changes.
func nop(s *result.Spec) {
	s.Op, s.Targets, s.Polled, s.FixedBuffers, s.FixedFiles = result.OpNop, []string{}, result.ChoiceNo, false, false
	s.Ceiling = false
}

func TestRealLines(t *testing.T) {
	for _, l := range realLines() {
		t.Run(l.line, func(t *testing.T) {
			req, err := parse(strings.Fields(l.line))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(l.want, req.Spec); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// TestEveryLetter holds the table against the letters of all releases.
func TestEveryLetter(t *testing.T) {
	table := Options()
	for _, letter := range strings.Split("dscbpBFnNOtTrRXSPVueHaDh?", "") {
		o := table.byLetter(letter)
		if o == nil {
			t.Errorf("no option -%s", letter)
			continue
		}
		if o.Since == "" {
			t.Errorf("%s does not say since when", o)
		}
	}
	for _, o := range table {
		if o.Letter != "" && !strings.Contains("dscbpBFnNOtTrRXSPVueHaDh", o.Letter) {
			t.Errorf("%s takes a letter that the peer may come to use", &o)
		}
	}
}

func TestLongTwinsMeanTheSame(t *testing.T) {
	short := "-d64 -s16 -c8 -b8k -n2 -R0 -r2 -t1 -p0 -B0 -F0 -X0 -V1 -e1 -O0 -H/huge/f -P1 t"
	long := "--depth 64 --submit-batch 16 --complete-batch 8 --block-size 8k --threads 2 --random=0 --runtime 2 --latency " +
		"--polled=0 --fixed-buffers=0 --fixed-files=no --registered-ring=false --vectored --restricted --direct=0 --huge-file /huge/f --numa t"
	a, b := mustParse(t, short), mustParse(t, long)
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("(-short +long)\n%s", d)
	}
	want := with(defaults("t"), func(s *result.Spec) {
		s.Depth, s.SubmitBatch, s.CompleteBatch, s.BlockSize, s.Threads, s.Random = 64, 16, 8, 8192, 2, false
		s.RuntimeNS, s.Latency, s.Polled, s.FixedBuffers, s.FixedFiles = 2e9, true, result.ChoiceNo, false, false
		s.RegisteredRing, s.Vectored, s.Restricted, s.Direct, s.HugeFile, s.NUMA = false, true, true, false, "/huge/f", true
	})
	if d := cmp.Diff(want, a.Spec); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
