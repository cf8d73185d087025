package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/sysfs"
)

const nobody = 65534

// sandbox is a program: it takes rights away from itself and becomes ringpeak.
//
//	sandbox [-nobody] [-memlock KIB] [-cpus LIST] [-deny-uring ERRNO] [-- ARGS]
func sandbox() {
	runtime.LockOSThread() // affinity and filter are the thread's
	var (
		asNobody = flag.Bool("nobody", false, "give up root")
		memlock  = flag.Int64("memlock", -1, "limit of locked memory, KiB")
		cpus     = flag.String("cpus", "", "allowed CPUs")
		deny     = flag.Int("deny-uring", 0, "errno of io_uring_setup")
	)
	flag.Parse()
	must := func(what string, err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "sandbox:", what+":", err)
			os.Exit(99)
		}
	}
	if *cpus != "" {
		list, err := sysfs.ParseCPUList(*cpus)
		must("cpus", err)
		var set unix.CPUSet
		for _, c := range list {
			set.Set(c)
		}
		must("affinity", unix.SchedSetaffinity(0, &set))
	}
	if *memlock >= 0 {
		kib := uint64(*memlock) << 10
		must("memlock", unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: kib, Max: kib}))
	}
	if *asNobody && os.Geteuid() == 0 {
		must("groups", syscall.Setgroups(nil))
		must("gid", syscall.Setresgid(nobody, nobody, nobody))
		must("uid", syscall.Setresuid(nobody, nobody, nobody))
	}
	if *deny != 0 {
		must("seccomp", denyURing(syscall.Errno(*deny)))
	}
	must("exec", syscall.Exec("/proc/self/exe", append([]string{"ringpeak"}, flag.Args()...), os.Environ()))
}

// denyURing makes io_uring_setup return errno in this thread from now on, as
// the filter of a container runtime does.
func denyURing(errno syscall.Errno) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // seccomp_data.nr
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_IO_URING_SETUP, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
	runtime.KeepAlive(filter)
	return err
}
