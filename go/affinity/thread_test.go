package affinity

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// onThread runs f on an OS thread of its own, which ends with it.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

func TestAllowed(t *testing.T) {
	got, err := Allowed()
	if err != nil || len(got) == 0 || !slices.IsSorted(got) {
		t.Fatalf("got %v, %v", got, err)
	}
	if proc := sysfs.At("").AllowedCPUs(); proc.OK() {
		for _, c := range got { // the kernel leaves offline CPUs out of the one, not of the other
			if !slices.Contains(proc.Value, c) {
				t.Errorf("allowed %v, but /proc says %v", got, proc.Value)
			}
		}
	}
}

func TestPin(t *testing.T) {
	cpus, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	onThread(func() {
		for _, c := range cpus {
			if err := PinTo([]int{c}); err != nil {
				t.Errorf("pin to %d: %v", c, err)
				return
			}
			if now, err := Allowed(); err != nil || !slices.Equal(now, []int{c}) {
				t.Errorf("pinned to %d: allowed %v, %v", c, now, err)
			}
		}
		if err := PinTo(cpus); err != nil {
			t.Errorf("pin to %v: %v", cpus, err)
		}
		if now, _ := Allowed(); !slices.Equal(now, cpus) {
			t.Errorf("pinned to %v: allowed %v", cpus, now)
		}
		if err := PinTo([]int{8191}); !errors.Is(err, unix.EINVAL) {
			t.Errorf("pin to a CPU that is not there: %v, want EINVAL", err)
		}
		for _, bad := range [][]int{nil, {-1}, {1 << 30}} {
			if err := PinTo(bad); err == nil {
				t.Errorf("PinTo(%v) succeeded", bad)
			}
		}
	})
	if now, err := Allowed(); err != nil || !slices.Equal(now, cpus) {
		t.Errorf("another thread was pinned along: %v, %v", now, err)
	}
}

// memPolicy is get_mempolicy(2) of the calling thread.
func memPolicy() (mode int32, mask unix.CPUSetDynamic, ok bool) {
	mask = unix.NewCPUSet(4096)
	_, _, errno := unix.Syscall6(unix.SYS_GET_MEMPOLICY,
		uintptr(unsafe.Pointer(&mode)), uintptr(unsafe.Pointer(&mask[0])), 4096, 0, 0, 0)
	return mode, mask, errno == 0
}

func TestPreferNode(t *testing.T) {
	nodes := sysfs.At("").Nodes()
	if len(nodes) == 0 {
		t.Skip("this kernel has no NUMA nodes")
	}
	onThread(func() {
		for _, n := range nodes {
			err := PreferNode(n.ID)
			if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
				t.Logf("set_mempolicy is not to be had here: %v", err)
				return
			}
			if err != nil && len(n.CPUs.Value) > 0 {
				t.Errorf("prefer node %d: %v", n.ID, err)
			}
			if mode, mask, ok := memPolicy(); err == nil && ok && (mode != unix.MPOL_PREFERRED || !mask.IsSet(n.ID) || mask.Count() != 1) {
				t.Errorf("prefer node %d: policy in force is %d on %x", n.ID, mode, mask)
			}
		}
		for _, bad := range []int{-1, 1023, 1 << 30} { // 1023: within the kernel's mask or not, it is not there
			if err := PreferNode(bad); err == nil {
				t.Errorf("PreferNode(%d) succeeded", bad)
			}
		}
	})
}

// TestThisMachine pins as many submitters as there are CPUs, and one more.
func TestThisMachine(t *testing.T) {
	cpus, err := Allowed()
	if err != nil {
		t.Fatal(err)
	}
	n := len(cpus) + 1
	p, err := Make(&result.Spec{Threads: n, NUMA: true}, on(0), cpus, "")
	if err != nil {
		t.Fatal(err)
	}
	used := map[int]int{}
	for _, pl := range p.Placements {
		used[pl.CPU]++
	}
	if len(used) != len(cpus) || len(p.Spare) != 0 {
		t.Errorf("%d submitters on %v: %s", n, cpus, show(p))
	}
}
