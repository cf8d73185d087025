// Package metric is the table of what is compared between runs: what each
// figure is called, its unit, which way is better, and where it is in a result.
// A comparison of two figures here is one of like with like; what a run did not
// measure is not there, and never zero.
//
// It measures nothing, judges nothing and prints nothing. Of ours it may import
// result only.
package metric

import "ringpeak/go/result"

// Unit is what a figure is counted in. The names are those of documents.
type Unit string

// The units.
const (
	PerSecond      Unit = "per_second"
	BytesPerSecond Unit = "bytes_per_second"
	NS             Unit = "ns"
	NSPerIO        Unit = "ns_per_io"
	CountPerIO     Unit = "count_per_io"
)

// Metric is one figure.
type Metric struct {
	Name   string // for documents and conditions: iops, p99
	Title  string // for people
	Unit   Unit
	Higher bool   // is better; else lower is
	Go     string // its unit in Go's benchmark format
	// Value is the figure of a sample, positive; not ok when it was not measured.
	Value func(s *Sample) (v float64, ok bool)
}

// Better says which way is better, as documents do.
func (m *Metric) Better() string {
	if m.Higher {
		return "higher"
	}
	return "lower"
}

// All is the table, in the order of reports. The first is what comparisons are
// decided by.
func All() []Metric {
	return []Metric{
		{"iops", "IOPS", PerSecond, true, "IOPS", iops},
		{"bandwidth", "bandwidth", BytesPerSecond, true, "B/s", bandwidth},
		{"p50", "p50 latency", NS, false, "p50-ns", percentile(50)},
		{"p99", "p99 latency", NS, false, "p99-ns", percentile(99)},
		{"p99.9", "p99.9 latency", NS, false, "p99.9-ns", percentile(99.9)},
		{"cpu", "CPU time per I/O", NSPerIO, false, "cpu-ns/IO", cpu},
		{"system", "system time per I/O", NSPerIO, false, "system-ns/IO", system},
		{"instructions", "instructions per I/O", CountPerIO, false, "instructions/IO", instructions},
		{"cycles", "cycles per I/O", CountPerIO, false, "cycles/IO", cycles},
	}
}

// ByName is the metric of that name, nil when there is none.
func ByName(name string) *Metric {
	for _, m := range All() {
		if m.Name == name {
			return &m
		}
	}
	return nil
}

// Names are those of the table.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, m.Name)
	}
	return names
}

func iops(s *Sample) (float64, bool) { return positive(s.Summary.IOPSMean) }

func bandwidth(s *Sample) (float64, bool) { return positive(s.Summary.BytesPerSecond) }

// percentile is one of those that every result with latencies lists.
func percentile(p float64) func(*Sample) (float64, bool) {
	return func(s *Sample) (float64, bool) {
		if s.Latency == nil {
			return 0, false
		}
		for _, point := range s.Latency.Percentiles {
			if point.Percent == p {
				return positive(float64(point.NS))
			}
		}
		return 0, false
	}
}

func cpu(s *Sample) (float64, bool) {
	return ofThreads(s, func(u *result.ThreadUsage) result.OptFloat { return u.NSPerIO })
}

func instructions(s *Sample) (float64, bool) {
	return ofThreads(s, func(u *result.ThreadUsage) result.OptFloat { return u.InstructionsPerIO })
}

func cycles(s *Sample) (float64, bool) {
	return ofThreads(s, func(u *result.ThreadUsage) result.OptFloat { return u.CyclesPerIO })
}

// system is as good as there were timer interrupts: see result.ThreadUsage.
func system(s *Sample) (float64, bool) {
	if s.Usage == nil || s.Usage.Total.SystemNS == nil || s.Usage.Total.Completed == 0 {
		return 0, false
	}
	return positive(float64(*s.Usage.Total.SystemNS) / float64(s.Usage.Total.Completed))
}

func ofThreads(s *Sample, figure func(*result.ThreadUsage) result.OptFloat) (float64, bool) {
	if s.Usage == nil {
		return 0, false
	}
	v := figure(&s.Usage.Total)
	if v == nil {
		return 0, false
	}
	return positive(*v)
}

// positive is what a ratio can be taken of.
func positive(v float64) (float64, bool) { return v, v > 0 }
