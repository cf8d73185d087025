package bench

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"ringpeak/go/affinity"
	"ringpeak/go/engine"
	"ringpeak/go/result"
)

func TestExplain(t *testing.T) {
	one, two := int64(1), int64(2)
	member1 := &member{index: 1}
	type change = func(r *run)
	at := func(step engine.Step, errno syscall.Errno) *engine.Error {
		return &engine.Error{Step: step, Errno: errno}
	}
	setup, io := result.StatusSetup, result.StatusIO
	tests := []struct {
		name   string
		err    error
		m      *member
		change change
		status int
		words  []string
	}{
		{"a sentence stays", fmt.Errorf("x: %w", result.Errorf(result.StatusUnsafe, "no")), nil, nil, result.StatusUnsafe, []string{"no"}},
		{"something else", errors.New("pin thread to CPU 3"), nil, nil, setup, []string{"CPU 3"}},

		{"no io_uring", at(engine.StepSetup, syscall.ENOSYS), nil, nil, setup, []string{"6.1.0-test", "no io_uring", "5.10"}},
		{"sysctl", at(engine.StepSetup, syscall.EPERM), nil, func(r *run) { r.System.IOURingDisabled = &two }, setup, []string{"kernel.io_uring_disabled is 2"}},
		{"seccomp", at(engine.StepSetup, syscall.EPERM), nil, func(r *run) { r.System.Seccomp = &two }, setup, []string{"seccomp", "io_uring_enter"}},
		{"sysctl before seccomp", at(engine.StepSetup, syscall.EPERM), nil, func(r *run) { r.System.IOURingDisabled, r.System.Seccomp = &one, &two }, setup, []string{"kernel.io_uring_group"}},
		{"neither", at(engine.StepSetup, syscall.EPERM), nil, nil, setup, []string{"not permitted", "CAP_SYS_NICE"}},
		{
			"old kernel", at(engine.StepSetup, syscall.EINVAL), nil, func(r *run) { r.polled, r.Spec.HybridPoll, r.Spec.SQPoll, r.Spec.Restricted = true, true, true, true }, setup,
			[]string{"6.1.0-test", "polling", "--hybrid-poll (6.13)", "--sqpoll", "-e1"},
		},
		{"odd depth", at(engine.StepSetup, syscall.EINVAL), nil, nil, setup, []string{"depth 8"}},
		{"ring memory", at(engine.StepSetup, syscall.ENOMEM), nil, nil, setup, []string{"ulimit -l", "lower -d or -n"}},
		{"other", at(engine.StepSetup, syscall.EIO), nil, nil, setup, []string{"io_uring_setup", "input/output error"}},
		{"descriptors", at(engine.StepSetup, syscall.EMFILE), nil, nil, setup, []string{"2 rings", "ulimit -n"}},
		{"aio", at(engine.StepSetup, syscall.EAGAIN), nil, func(r *run) { r.Spec.Engine = result.EngineAIO }, setup, []string{"aio-max-nr", "depth 8"}},

		{"memory", &engine.Error{Step: engine.StepMemory, Errno: syscall.ENOMEM, Bytes: 3 << 30}, nil, nil, setup, []string{"3072 MiB", "lower -d, -b or -n"}},
		{"memlock", &engine.Error{Step: engine.StepBuffers, Errno: syscall.ENOMEM, Bytes: 1 << 20}, nil, nil, setup, []string{"2048 KiB", "ulimit -l", "-B0"}},
		{"buffers", &engine.Error{Step: engine.StepBuffers, Errno: syscall.EFAULT, Bytes: 1 << 20}, nil, nil, setup, []string{"1024 KiB", "bad address", "-B0"}},
		{"files", at(engine.StepFiles, syscall.EMFILE), nil, nil, setup, []string{"register files", "-F0"}},
		{"ring descriptor", at(engine.StepRingFD, syscall.EINVAL), nil, nil, setup, []string{"register the ring", "-X0"}},
		{"restrictions", at(engine.StepRestrict, syscall.EINVAL), nil, nil, setup, []string{"5.10", "-e"}},

		{"submit", at(engine.StepSubmit, syscall.EBADF), member1, nil, io, []string{"/dev/b, /dev/c", "EBADF"}},
		{"not polled", at(engine.StepReap, syscall.EOPNOTSUPP), member1, func(r *run) { r.polled = true }, setup, []string{"/dev/b cannot be polled", "-p0"}},
		{"not supported", at(engine.StepReap, syscall.EOPNOTSUPP), member1, nil, io, []string{"/dev/b", "EOPNOTSUPP"}},
		{"which file", &engine.Error{Step: engine.StepReap, Errno: syscall.ENODEV, File: 1}, member1, nil, io, []string{"/dev/c has disappeared"}},
		{"alignment", at(engine.StepReap, syscall.EINVAL), member1, nil, io, []string{"/dev/b", "4096 bytes", "EINVAL"}},
		{"ring restrictions", at(engine.StepReap, syscall.EACCES), member1, func(r *run) { r.Spec.Restricted = true }, setup, []string{"/dev/b", "-e"}},
		{"access", at(engine.StepReap, syscall.EACCES), member1, nil, io, []string{"/dev/b", "EACCES"}},
		{"registered buffers", at(engine.StepReap, syscall.EFAULT), member1, nil, io, []string{"/dev/b", "6.1.0-test", "-B0"}},
		{
			"scattered", at(engine.StepReap, syscall.EINVAL), member1, func(r *run) {
				lba, most := int64(512), int64(127)
				r.Spec.Passthrough, r.Spec.BlockSize = true, 512<<10
				r.res.Targets[1].LogicalBlockBytes, r.res.Targets[1].MaxSegments = &lba, &most
			}, io,
			[]string{"/dev/b", "127 pieces", "524288 bytes", "-b520192", "-H"},
		},
		{
			"first error", at(engine.StepReap, syscall.EIO), member1, func(r *run) {
				r.polled, r.Spec.Passthrough = true, true
				r.res.Errors = []result.ErrorCount{{Target: "/dev/b", NVMe: 0x281, Text: "media: Unrecovered Read Error"}}
			}, io,
			[]string{"first error", "Unrecovered Read Error on /dev/b", "6.5", "6.1.0-test", "-p0"},
		},
		{"NOP", at(engine.StepReap, syscall.EINVAL), &member{index: 2}, nil, io, []string{"NOP"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &run{res: &result.Result{Targets: []result.Target{{Path: "/dev/a"}, {Path: "/dev/b"}, {Path: "/dev/c"}}}}
			r.Spec = result.Spec{Engine: result.EngineURing, Depth: 8, BlockSize: blockSize, Threads: 2}
			r.System.Kernel = "6.1.0-test"
			r.res.Placements = []result.Placement{{Targets: []int{0}}, {Targets: []int{1, 2}}, {}}
			if tt.change != nil {
				tt.change(r)
			}
			wantError(t, r.explain(tt.err, tt.m), tt.status, tt.words...)
		})
	}
}

// share is what shareBytes says of a spec, with the placements that go with it.
func share(s result.Spec, targets int) int64 {
	r := &run{res: &result.Result{}}
	r.Spec = s
	for _, ts := range affinity.Assign(s.Threads, targets) {
		r.res.Placements = append(r.res.Placements, result.Placement{Targets: ts})
	}
	return r.shareBytes()
}

// As csrc/buffers.c lays them out: a slot per I/O in a power of two of them.
func TestShareBytes(t *testing.T) {
	tests := []struct {
		block          int64
		depth, targets int
		want           int64
	}{
		{512, 8, 1, 8 * 512},
		{512, 128, 1, 128 * 512},
		{520, 8, 1, 8 * 1024},
		{4096, 1, 1, 4096},
		{4096, 33, 1, 64 * 4096},
		{6144, 8, 1, 8 * 8192},
		{1 << 20, 3, 1, 4 << 20},
		{4096, 2, 7, 8 * 4096}, // more files than depth: a slot for each
	}
	for _, tt := range tests {
		s := result.Spec{Op: result.OpRead, BlockSize: tt.block, Depth: tt.depth, Threads: 1}
		if got := share(s, tt.targets); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	if got := share(result.Spec{Op: result.OpNop, BlockSize: 4096, Depth: 8, Threads: 1}, 0); got != 0 {
		t.Errorf("NOP: %d", got)
	}
}

func TestCheckMemory(t *testing.T) {
	const need = 2 * 8 * blockSize
	tests := []struct {
		name      string
		available int64
		huge      string
		fits      bool
	}{
		{"plenty", 1 << 40, "", true},
		{"unknown", 0, "", true},
		{"just", need * 10 / 8, "", true},
		{"nearly all that there is", need, "", false},
		{"other memory", need / 2, "/huge/file", true},
	}
	for _, tt := range tests {
		r := &run{res: &result.Result{}}
		r.Spec = result.Spec{Op: result.OpRead, BlockSize: blockSize, Depth: 8, Threads: 2, HugeFile: tt.huge}
		r.System.MemAvailable = tt.available
		if err := r.checkMemory(); (err == nil) != tt.fits {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
