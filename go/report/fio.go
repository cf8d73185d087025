package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/stats"
)

// epoch is what the output of one release of t/io_uring looks like.
type epoch struct {
	addedFile  bool // "Added file" lines, and submitters after the configuration
	dmaMap     bool // fixedbufs=%d/%d
	fileOfTID  bool // file= and node= in the submitter lines
	fileCount  bool // nfiles= in them
	fractions  bool // %.2fM and %.2fK instead of %luK, GiB/s
	inFlight   bool // inflight=(…)
	alwaysMax  bool // "Maximum IOPS" also when it is 0
	ioErrors   bool // "%d: %lu IO errors" at the end
	retPerKind bool // "io: unexpected ret=%d" instead
}

// fioVersions are the releases whose formats are known, oldest first.
func fioVersions() []string { return []string{"3.29", "3.33", "3.42"} }

func epochOf(version string) epoch {
	switch version {
	case "3.29":
		return epoch{addedFile: true, dmaMap: true, inFlight: true, retPerKind: true}
	case "3.33":
		return epoch{dmaMap: true, fileOfTID: true, fractions: true, alwaysMax: true, retPerKind: true}
	default:
		return epoch{fileOfTID: true, fileCount: true, fractions: true, alwaysMax: true, ioErrors: true}
	}
}

// Fio reproduces the lines of fio's t/io_uring for people and programs that
// look for them. The formats are those of the release; the numbers are ours:
// IOPS are successful completions over measured time, a GiB is 2^30 bytes
// (there it is 1000 MiB), the latency is that of all submitters together and
// stands once, and the order of the lines is always the same (there it is a
// race). Partial intervals have no line, as there, and neither has warm-up.
// Repeats are one block, as of one process: all their intervals, one end and
// one maximum.
type Fio struct {
	out   printer
	epoch epoch
}

// NewFio makes a reporter in the style of fio version, 3.29, 3.33 or 3.42.
func NewFio(w io.Writer, version string) (*Fio, error) {
	if !slices.Contains(fioVersions(), version) {
		return nil, fmt.Errorf("fio style %q: not one of %s", version, strings.Join(fioVersions(), ", "))
	}
	return &Fio{out: newPrinter(w), epoch: epochOf(version)}, nil
}

// Started writes the files, the configuration and the submitters.
func (f *Fio) Started(r *result.Result) error {
	if f.epoch.addedFile {
		for i := range r.Placements {
			for _, t := range r.Placements[i].Targets {
				f.out.linef("Added file %s (submitter %d)", printable(r.Targets[t].Path), r.Placements[i].Submitter)
			}
		}
		f.config(r)
		f.submitters(r)
	} else {
		f.submitters(r)
		f.config(r)
	}
	return f.out.err
}

func (f *Fio) submitters(r *result.Result) {
	for i := range r.Placements {
		p := &r.Placements[i]
		line := fmt.Sprintf("submitter=%d, tid=%d", p.Submitter, p.TID)
		if f.epoch.fileOfTID {
			file := "(null)"
			if n := len(p.Targets); n > 0 {
				file = printable(r.Targets[p.Targets[n-1]].Path) // the last one, as there
			}
			line += ", file=" + file
		}
		if f.epoch.fileCount {
			line += fmt.Sprintf(", nfiles=%d", len(p.Targets))
		}
		if f.epoch.fileOfTID {
			line += fmt.Sprintf(", node=%d", p.Node)
		}
		f.out.linef("%s", line)
	}
}

func (f *Fio) config(r *result.Result) {
	g := &r.Granted
	buffers := fmt.Sprint(bit(g.FixedBuffers))
	if f.epoch.dmaMap {
		buffers += "/0" // the second number is DMA mapping, which no kernel has
	}
	f.out.linef("polled=%d, fixedbufs=%s, register_files=%d, buffered=%d, QD=%d",
		bit(g.Polled), buffers, bit(g.FixedFiles), bit(!r.Spec.Direct), r.Spec.Depth)
	if r.Spec.Engine == result.EngineURing {
		f.out.linef("Engine=io_uring, sq_ring=%d, cq_ring=%d", g.SQEntries, g.CQEntries)
	} else {
		f.out.linef("Engine=%s", r.Spec.Engine)
	}
}

// Interval writes the line of a whole interval. A and B of IOS/call=A/B are
// integers rounded down, and -1 when no call was made.
func (f *Fio) Interval(r *result.Result, iv *result.Interval) error {
	if iv.Partial || iv.Warmup {
		return f.out.err
	}
	rates := stats.IntervalRates(iv)
	b := append(f.out.buf, "IOPS="...)
	b = f.appendIOPS(b, rates.IOPS)
	if r.Spec.NeedsTarget() {
		b = append(b, ", BW="...)
		b = f.appendBW(b, rates.BytesPerSecond)
	}
	b = append(b, ", IOS/call="...)
	if calls := iv.Total.Calls; calls > 0 {
		b = strconv.AppendUint(b, iv.Total.Submitted/calls, 10)
		b = append(b, '/')
		b = strconv.AppendUint(b, iv.Total.Completed/calls, 10)
	} else {
		b = append(b, "-1/-1"...)
	}
	if f.epoch.inFlight {
		b = append(b, ", inflight=("...)
		if r.Spec.NeedsTarget() {
			b = appendCounts(b, iv.InFlight)
		}
		b = append(b, ')')
	}
	f.out.buf = b
	return f.out.flush()
}

func (f *Fio) appendIOPS(b []byte, rate float64) []byte {
	iops := rounded(rate)
	switch {
	case iops <= 100000:
		return strconv.AppendUint(b, iops, 10)
	case !f.epoch.fractions:
		return append(strconv.AppendUint(b, iops/1000, 10), 'K')
	case iops > 1000000:
		return append(strconv.AppendFloat(b, float64(iops)/1e6, 'f', 2, 64), 'M')
	default:
		return append(strconv.AppendFloat(b, float64(iops)/1e3, 'f', 2, 64), 'K')
	}
}

func (f *Fio) appendBW(b []byte, bytesPerSecond float64) []byte {
	if whole := uint64(max(0, bytesPerSecond) / mib); !f.epoch.fractions || whole <= 2000 {
		return append(strconv.AppendUint(b, whole, 10), "MiB/s"...)
	}
	return append(strconv.AppendFloat(b, bytesPerSecond/gib, 'f', 2, 64), "GiB/s"...)
}

// Finished writes the end of the run, errors and latency.
func (f *Fio) Finished(r *result.Result) error {
	if f.epoch.retPerKind {
		f.unexpected(r.Errors)
	}
	reason := r.End.Reason
	if reason == "time" || reason == "steady" { // it knows no other end by itself
		reason = "timeout"
	}
	f.out.linef("Exiting on %s", reason)
	if f.epoch.alwaysMax || rounded(r.Summary.IOPSMax) > 0 {
		f.out.linef("Maximum IOPS=%s", f.appendIOPS(nil, r.Summary.IOPSMax))
	}
	if f.epoch.ioErrors {
		for i, c := range r.PerSubmitter {
			if c.Failed > 0 {
				f.out.linef("%d: %d IO errors", tid(r, i), c.Failed)
			}
		}
	}
	if r.Latency != nil || r.Spec.Latency {
		f.latency(r)
	}
	return f.out.err
}

// unexpected writes one line per errno. The old releases had one per I/O, and
// stopped there.
func (f *Fio) unexpected(errors []result.ErrorCount) {
	var seen []int
	for i := range errors {
		if n := errors[i].Errno; n != 0 && !slices.Contains(seen, n) {
			seen = append(seen, n)
			f.out.linef("io: unexpected ret=%d", -n)
		}
	}
}

// tid is the thread of submitter i, 0 when it is not known.
func tid(r *result.Result, i int) int {
	if i < len(r.Placements) {
		return r.Placements[i].TID
	}
	return 0
}
