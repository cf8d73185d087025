package bench

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// explain turns an engine's error into the sentence for people: what failed,
// on which target, why, and what to do. m is whose error it is; nil before
// there are any.
func (r *run) explain(err error, m *member) error {
	var known *result.Error
	if errors.As(err, &known) {
		return known
	}
	var e *engine.Error
	if !errors.As(err, &e) {
		return result.Errorf(result.StatusSetup, "%w", err)
	}
	switch e.Step {
	case engine.StepSetup:
		return r.explainSetup(e)
	case engine.StepMemory:
		return result.Errorf(result.StatusSetup, "allocate %d MiB of I/O buffers: %w: lower -d, -b or -n", e.Bytes>>20, e)
	case engine.StepBuffers:
		return r.explainBuffers(e)
	case engine.StepReap:
		return r.explainRead(e, r.fileOf(m, e.File))
	case engine.StepSubmit:
		return result.Errorf(result.StatusIO, "submitting I/O to %s failed with %s", r.filesOf(m), errnoText(e.Errno))
	}
	return result.Errorf(result.StatusSetup, "%w%s", e, needs(e.Step))
}

// needs names the first kernel that has what a step asks for.
func needs(s engine.Step) string {
	switch s {
	case engine.StepRingFD:
		return "; use -X0"
	case engine.StepRestrict:
		return ": restrictions need Linux 5.10; leave -e out"
	case engine.StepFiles:
		return ": registering files failed; use -F0"
	}
	return ""
}

func (r *run) fileOf(m *member, file int) string {
	if m == nil {
		return "the target"
	}
	if t := r.res.Placements[m.index].Targets; file < len(t) {
		return r.res.Targets[t[file]].Path
	}
	return "NOP"
}

// filesOf names all targets of m.
func (r *run) filesOf(m *member) string {
	if m == nil || len(r.res.Placements[m.index].Targets) < 2 {
		return r.fileOf(m, 0)
	}
	var list []string
	for _, t := range r.res.Placements[m.index].Targets {
		list = append(list, r.targetPath(t))
	}
	return joinTargets(list)
}

// explainSetup knows why a kernel refuses a ring (io_uring_setup(2)).
func (r *run) explainSetup(e *engine.Error) error {
	const status = result.StatusSetup
	sys := &r.System
	if r.Spec.Engine == result.EngineAIO {
		return result.Errorf(status, "io_setup for depth %d: %w: see /proc/sys/fs/aio-max-nr", r.Spec.Depth, e.Errno)
	}
	switch e.Errno {
	case unix.ENOSYS:
		return result.Errorf(status, "this kernel (%s) has no io_uring, or a seccomp filter hides it: needs Linux 5.10 with CONFIG_IO_URING", sys.Kernel)
	case unix.EPERM:
		if v := sys.IOURingDisabled; v != nil && *v > 0 {
			return result.Errorf(status, "io_uring is disabled here: sysctl kernel.io_uring_disabled is %d; set it to 0, or join the group in kernel.io_uring_group if it is 1", *v)
		}
		if v := sys.Seccomp; v != nil && *v > 0 {
			return result.Errorf(status, "a seccomp filter forbids io_uring (containers do that by default): run outside of it, or allow io_uring_setup, io_uring_enter and io_uring_register")
		}
		return result.Errorf(status, "io_uring_setup: not permitted: a security module or, for --sqpoll before Linux 5.13, a missing CAP_SYS_NICE")
	case unix.EINVAL:
		return result.Errorf(status, "this kernel (%s) refuses the ring that was asked for: %s", sys.Kernel, strings.Join(r.testFlags(), ", "))
	case unix.EMFILE, unix.ENFILE:
		return result.Because(e, status, "%d rings need more file descriptors than this process may have: raise the limit (ulimit -n), or lower -n", r.Spec.Threads)
	case unix.ENOMEM:
		return result.Because(e, status, "a ring for depth %d does not fit into memory, or into this user's limit on locked memory (%s): lower -d or -n, or raise the limit (ulimit -l)",
			r.Spec.Depth, memlock())
	}
	return result.Errorf(status, "io_uring_setup: %w", e.Errno)
}

// testFlags are the settings that are never dropped, with their first kernel.
func (r *run) testFlags() []string {
	s := &r.Spec
	var list []string
	add := func(on bool, text string) {
		if on {
			list = append(list, text)
		}
	}
	add(r.polled, "polling (Linux 5.1)")
	add(s.HybridPoll, "--hybrid-poll (6.13)")
	add(s.SQPoll, "--sqpoll (5.1; with --sqpoll-cpu the CPU must exist and be allowed)")
	add(s.Restricted, "-e1 (5.10)")
	add(s.Passthrough, "-u1 (5.19)")
	add(len(list) == 0, fmt.Sprintf("depth %d", s.Depth))
	return list
}

func (r *run) explainBuffers(e *engine.Error) error {
	if e.Errno == unix.EOPNOTSUPP {
		return result.Because(e, result.StatusSetup, "vectored passthrough into registered buffers (-V1 -B1) needs Linux 6.15, and this is %s; use -B0 or -V0", r.System.Kernel)
	}
	if e.Errno != unix.ENOMEM {
		return result.Errorf(result.StatusSetup, "register %d KiB of I/O buffers: %w; use -B0", e.Bytes>>10, e.Errno)
	}
	return result.Because(e, result.StatusSetup,
		"registering the I/O buffers needs %d KiB of locked memory and this user's limit is %s, for all processes and rings together: raise it (ulimit -l, LimitMEMLOCK=), lower -d, -b or -n, or use -B0",
		e.Bytes*int64(r.Spec.Threads)>>10, memlock())
}

// memlock is the limit on locked memory in words.
func memlock() string {
	var lim unix.Rlimit
	switch err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); {
	case err != nil:
		return "unknown"
	case lim.Cur == unix.RLIM_INFINITY:
		return "unlimited"
	}
	return fmt.Sprintf("%d KiB", lim.Cur>>10)
}

// explainRead is about an I/O that failed in a way that all others will.
func (r *run) explainRead(e *engine.Error, target string) error {
	switch e.Errno {
	case unix.EOPNOTSUPP:
		if r.Spec.Passthrough {
			return result.Because(e, result.StatusSetup, "%s: this kernel (%s) does not pass NVMe commands through io_uring: that needs Linux 5.19, and 6.1 when polled or with registered buffers",
				target, r.System.Kernel)
		}
		if r.polled {
			return result.Errorf(result.StatusSetup, "%s cannot be polled: its driver or file system refuses; use -p0", target)
		}
	case unix.EINVAL:
		if why := r.tooScattered(target); why != "" && r.Spec.Passthrough {
			return result.Because(e, result.StatusIO, "%s refuses the command (EINVAL): %s", target, why)
		}
		if r.Spec.Passthrough {
			return result.Because(e, result.StatusIO,
				"%s refuses the command (EINVAL): metadata and large blocks have their limits; try -B0 or a smaller -b (kernel %s)",
				target, r.System.Kernel)
		}
		return result.Errorf(result.StatusIO, "%s refuses reads of %d bytes (EINVAL): alignment, or an option that this kernel does not know; try -B0 or another -b", target, r.Spec.BlockSize)
	case unix.ENODEV, unix.ENXIO:
		return result.Errorf(result.StatusIO, "%s has disappeared (%s)", target, errnoText(e.Errno))
	case unix.EACCES, unix.EPERM:
		if r.Spec.Passthrough {
			return result.Because(e, result.StatusSetup,
				"%s refuses NVMe commands from this user (%s): before Linux 6.2 they need CAP_SYS_ADMIN, from there on read permission on the node; this is %s",
				target, errnoText(e.Errno), r.System.Kernel)
		}
		if r.Spec.Restricted {
			return result.Errorf(result.StatusSetup, "the ring's own restrictions refuse reads of %s (EACCES): leave -e out", target)
		}
	case unix.EFAULT:
		return result.Errorf(result.StatusIO, "%s cannot read into registered buffers on this kernel (%s, EFAULT): use -B0", target, r.System.Kernel)
	}
	if list := r.res.Errors; r.firstErrorEnds() && len(list) > 0 {
		return result.Errorf(result.StatusIO, "stopped at the first error, %s on %s: before Linux 6.5 (this is %s) polled passthrough that goes on after errors can bring the kernel down; use -p0",
			inWords(&list[0]), list[0].Target, r.System.Kernel)
	}
	return result.Errorf(result.StatusIO, "reading %s failed with %s", target, errnoText(e.Errno))
}

// tooScattered says that a command may need more pieces of memory than the
// device takes at once, when each page of its buffer lies somewhere else.
func (r *run) tooScattered(target string) string {
	for i := range r.res.Targets {
		t := &r.res.Targets[i]
		const page = 4096
		n, lba := t.MaxSegments, t.LogicalBlockBytes
		if t.Path == target && n != nil && lba != nil && t.TransferBytes(r.Spec.BlockSize) > *n*page {
			return fmt.Sprintf("one command takes %d pieces of memory and a read of %d bytes may lie in more pages than that: use -b%d or less, or contiguous buffers (-H)",
				*n, r.Spec.BlockSize, *n*page/t.TransferBytes(*lba)**lba)
		}
	}
	return ""
}

func errnoText(e syscall.Errno) string {
	if e == 0 {
		return "a short read"
	}
	return fmt.Sprintf("%s, %s", errnoName(e), e.Error())
}

// errnoName is the name that the kernel's sources use: x/sys knows 95 as ENOTSUP.
func errnoName(e syscall.Errno) string {
	if e == unix.EOPNOTSUPP {
		return "EOPNOTSUPP"
	}
	return unix.ErrnoName(e)
}

func joinTargets(list []string) string { return strings.Join(list, ", ") }
