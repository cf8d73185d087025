// Package cring is the engine that measures: csrc/'s hot loop, called through
// cgo once per batch of rounds. It is the only package that imports "C", and
// it holds no logic of its own beyond translating values.
//
// One crossing costs 31 to 38 ns, and more when Go's scheduler has taken the
// thread's processor away meanwhile, as it does in a call that lasts. A batch
// of the default number of rounds takes tens of milliseconds, so that neither
// shows.
//
// Without cgo a stub stands in whose New says what is missing. It may import
// engine and result.
package cring

import "ringpeak/go/engine"

// autoRounds is the number of rounds per crossing when the caller leaves it
// to us. The C loop looks at its phase once per round and publishes counters
// once per round, so a long batch delays nothing.
const autoRounds = 1 << 16

// abi lists the sizes of the structs shared with C, as Go sees them.
type abi struct {
	Clock, Config, File, Report, Counters, Error, Tally, Window, Split uint32
}

// Info says what was linked.
type Info struct {
	CoreID   string // hash of csrc/ and the flags it was compiled with
	Liburing string // version
}

var _ engine.Engine = (*Engine)(nil)
