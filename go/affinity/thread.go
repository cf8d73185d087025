package affinity

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"ringpeak/go/sysfs"
)

// maxMask bounds the growth of the mask for a kernel's CPU set, in CPUs.
const maxMask = 1 << 20

// Allowed returns the CPUs on which the calling thread may run, increasing:
// what taskset, the cgroup's cpuset and CPU hotplug leave. Call it on a thread
// that is not pinned.
func Allowed() ([]int, error) {
	for size := 1024; size <= maxMask; size *= 2 {
		set := unix.NewCPUSet(size)
		err := unix.SchedGetaffinityDynamic(0, set)
		if errors.Is(err, unix.EINVAL) { // the kernel's mask is longer: sched_getaffinity(2)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("get CPU affinity: %w", err)
		}
		var cpus []int
		for cpu := range size {
			if set.IsSet(cpu) {
				cpus = append(cpus, cpu)
			}
		}
		return cpus, nil
	}
	return nil, fmt.Errorf("get CPU affinity: the kernel has more than %d CPUs", maxMask)
}

// PinTo binds the calling OS thread to a set of CPUs. The goroutine must have
// locked the thread and must never unlock it. EINVAL means that the CPUs are
// offline or outside the cpuset.
func PinTo(cpus []int) error {
	if len(cpus) == 0 {
		return errors.New("pin thread: no CPUs given")
	}
	top := 0
	for _, c := range cpus {
		if c < 0 || c >= maxMask {
			return fmt.Errorf("pin thread to CPU %d: no such CPU", c)
		}
		top = max(top, c)
	}
	set := unix.NewCPUSet(top + 1)
	for _, c := range cpus {
		set.Set(c)
	}
	if err := unix.SchedSetaffinityDynamic(0, set); err != nil {
		return fmt.Errorf("pin thread to CPU %s: %w", sysfs.FormatCPUList(cpus), err)
	}
	return nil
}

// PreferNode makes the calling OS thread allocate memory on a NUMA node while
// that has any (MPOL_PREFERRED, set_mempolicy(2)). ENOSYS means a kernel
// without NUMA support, EINVAL a node without memory or outside the cpuset.
func PreferNode(node int) error {
	if node < 0 || node >= maxMask {
		return fmt.Errorf("prefer memory of node %d: no such node", node)
	}
	// x/sys passes the mask's length in bytes where the kernel reads bits, of
	// which it uses one less: the mask must be eight times as long.
	mask := unix.NewCPUSet(8 * (node + 2))
	mask.Set(node)
	if err := unix.SetMemPolicyDynamic(unix.MPOL_PREFERRED, mask); err != nil {
		return fmt.Errorf("prefer memory of node %d: %w", node, err)
	}
	return nil
}
