package usage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"ringpeak/go/sysfs"
)

// event is a counter as perf_event_open(2) names it.
type event struct {
	kind   uint32
	config uint64
}

// hardwareEvents are the group that is counted for each thread.
var hardwareEvents = [2]event{
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
	{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
}

// opener is perf_event_open(2).
type opener func(attr *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error)

// hardware is a group of counters for each thread; none when why says why. It
// counts in the kernel's own time and costs a thread nothing while it runs,
// only something whenever it is switched in or out.
type hardware struct {
	fds      [][2]int // leader and member
	userOnly bool
	why      string
}

// openHardware opens the counters of all threads, disabled, or of none.
func openHardware(open opener, events [2]event, tids []int, tree sysfs.Tree) *hardware {
	h := &hardware{}
	err := h.openAll(open, events, tids)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) {
		// The kernel's part is for the privileged: try without it.
		h.close()
		h.userOnly = true
		err = h.openAll(open, events, tids)
	}
	if err != nil {
		h.close()
		h.userOnly = false
		h.why = whyNot(err, tree)
	}
	return h
}

func (h *hardware) openAll(open opener, events [2]event, tids []int) error {
	for _, tid := range tids {
		group := [2]int{-1, -1}
		for i, e := range events {
			attr := unix.PerfEventAttr{
				Type: e.kind, Config: e.config, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
				Read_format: unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
			}
			if i == 0 {
				attr.Bits |= unix.PerfBitDisabled
			}
			if h.userOnly {
				attr.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv
			}
			fd, err := open(&attr, tid, -1, group[0], unix.PERF_FLAG_FD_CLOEXEC)
			if err != nil {
				h.fds = append(h.fds, group) // close finds what is open
				return err
			}
			group[i] = fd
		}
		h.fds = append(h.fds, group)
	}
	return nil
}

// whyNot is the reason in words (perf_event_open(2), ERRORS).
func whyNot(err error, tree sysfs.Tree) string {
	p := tree.Policy()
	filtered := p.Seccomp.OK() && p.Seccomp.Value != 0
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENODEV), errors.Is(err, unix.EOPNOTSUPP):
		return "this machine has no hardware counters, as is usual in virtual machines"
	case errors.Is(err, unix.ENOSYS) && filtered:
		return "a seccomp filter keeps this process from perf_event_open"
	case errors.Is(err, unix.ENOSYS):
		return "the kernel was built without perf events"
	case errors.Is(err, unix.EPERM) && filtered:
		return "perf_event_open is refused, probably by a seccomp filter, else for want of CAP_PERFMON"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		level := "its value is unknown"
		if n := tree.PerfEventParanoid(); n.OK() {
			level = fmt.Sprintf("it is %d", n.Value)
		}
		return "counting needs CAP_PERFMON, or kernel.perf_event_paranoid at 2 or less; " + level
	case errors.Is(err, unix.EMFILE):
		return "there are not enough file descriptors for two counters per submitter: raise ulimit -n"
	case errors.Is(err, unix.EBUSY):
		return "somebody else has the hardware counters for himself"
	case errors.Is(err, unix.ESRCH):
		return "a submitter's thread has ended"
	}
	return "perf_event_open: " + err.Error()
}

func (h *hardware) enable() {
	for _, group := range h.fds {
		if err := unix.IoctlSetInt(group[0], unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP); err != nil {
			h.close()
			h.why = "the counters could not be started: " + err.Error()
			return
		}
	}
}

// close is idempotent.
func (h *hardware) close() {
	for _, group := range h.fds {
		for i := len(group) - 1; i >= 0; i-- {
			if group[i] >= 0 {
				_ = unix.Close(group[i]) // a counter has nothing to lose
			}
		}
	}
	h.fds = nil
}

// mode is what result.Usage.Counted says.
func (h *hardware) mode() string {
	switch {
	case h.why != "":
		return ""
	case h.userOnly:
		return "user"
	}
	return "user+kernel"
}

// hwReading is a group at a moment. Times are in ns: since it was enabled, of
// the thread on a CPU, and those of them in which it was counted.
type hwReading struct {
	ok               bool
	enabled, running uint64
	values           [2]uint64
}

// read reads the group of the i-th thread; the zero value when there is none.
func (h *hardware) read(i int) hwReading {
	if i >= len(h.fds) {
		return hwReading{}
	}
	var buf [5 * 8]byte // number of counters, two times, two counts
	n, err := unix.Read(h.fds[i][0], buf[:])
	if err != nil || n != len(buf) {
		return hwReading{}
	}
	word := func(k int) uint64 { return binary.NativeEndian.Uint64(buf[k*8:]) }
	return hwReading{ok: true, enabled: word(1), running: word(2), values: [2]uint64{word(3), word(4)}}
}

// since is what the two counted since an earlier reading, scaled to the whole
// time, and the share of it that was counted; not ok when nothing was.
func (r hwReading) since(before hwReading) (values [2]float64, share float64, ok bool) {
	enabled, running := r.enabled-before.enabled, r.running-before.running
	if !r.ok || !before.ok || enabled == 0 || running == 0 {
		return values, 0, false
	}
	share = float64(running) / float64(enabled)
	for i := range values {
		values[i] = float64(r.values[i]-before.values[i]) / share
	}
	return values, share, true
}

// neverCounted is what a counter that never ran is told by.
const neverCounted = "the hardware counters were never free: others hold them, such as perf or the NMI watchdog"
