// Package fake is a scripted engine for tests of whoever drives engines. It
// does no I/O: each submitter keeps the books of a real one (submitted =
// completed + failed + in flight at every moment), sleeps between its rounds
// instead of working, and fails, blocks or hangs where its Script says so.
//
// It also watches its caller. A breach of the rules of engine.Submitter (one
// thread, drained before it is closed, unused after that) does not fail
// anything by itself but is kept for Engine.Violations.
//
// It works inside and outside of a testing/synctest bubble. It does not judge
// results. It may import engine and result.
package fake
