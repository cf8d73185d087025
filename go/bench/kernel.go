package bench

import "fmt"

// before says whether a kernel release (uname -r) is older than major.minor;
// false when it cannot be told.
func before(release string, major, minor int) bool {
	var a, b int
	if n, _ := fmt.Sscanf(release, "%d.%d", &a, &b); n != 2 {
		return false
	}
	return a < major || a == major && b < minor
}

// firstErrorEnds says whether going on after a failed I/O endangers the
// machine: on Linux 6.1 polled passthrough whose commands fail brings the
// kernel down within about a thousand errors (a fault in bio_poll below
// nvme_ns_chr_uring_cmd_iopoll). 6.5 polls requests instead.
func (r *run) firstErrorEnds() bool {
	return r.polled && r.Spec.Passthrough && before(r.System.Kernel, 6, 5)
}
