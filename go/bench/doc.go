// Package bench is the life of a run: probe, open, start together, warm up,
// measure, drain, collect. It owns the submitter threads and the window.
//
// It prints nothing, parses nothing and computes no statistics of its own; an
// Observer is told what happens while it happens. It may import result,
// device, affinity, engine, check, usage and stats.
package bench
