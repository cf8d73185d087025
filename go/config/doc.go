// Package config turns a command line into one validated request: of a run, a
// result.Spec, where the results go, and notes on what was decided or ignored
// on the user's behalf; of ab, the same for each arm; of compare, the two sides.
//
// A table holds every option of a command: Options those of a run, ABOptions
// those and ab's own, CompareOptions. The parser, the flags for urfave/cli and
// the help text are made from it. A command line passes through in two
// steps, because urfave/cli neither takes -d128 nor looks for options after a
// file name:
//
//	argv ─ Normalise ─> --long=value … -- target … ─ urfave/cli ─ FromContext ─> Request
//	                                                              ABFromContext, CompareFromContext
//
// Normalise knows the grammar (that of getopt, plus long options) and checks
// each value by itself. FromContext knows what the options mean together, and
// refuses contradictions before anything is opened.
//
// It does not open, print or exit, and it knows nothing of the machine: limits
// of a kernel, a device or the memory are for the stages that see them.
// Its errors are *result.Error and carry the exit status.
//
// It may import go/result, go/spelling, urfave/cli/v2 and the standard library.
package config
