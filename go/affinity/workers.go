package affinity

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// KernelWorkers counts the io-wq threads that the kernel has added to this
// process: io_uring runs requests on them which would have blocked. They live
// for five seconds after their last request. It is -1 when /proc below root
// ("" for the system's) cannot be read.
func KernelWorkers(root string) int {
	names, err := filepath.Glob(filepath.Join(cmp.Or(root, "/"), "proc/self/task/*/comm"))
	if err != nil || len(names) == 0 {
		return -1
	}
	n := 0
	for _, name := range names {
		// A thread may end meanwhile; it is then none of those that took part.
		comm, err := os.ReadFile(name)
		if err == nil && strings.HasPrefix(string(comm), "iou-wrk-") {
			n++
		}
	}
	return n
}
