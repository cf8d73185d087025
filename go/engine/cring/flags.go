//go:build cgo

package cring

import "ringpeak/go/result"

// IORING_SETUP_* of include/uapi/linux/io_uring.h, with the first kernel.
const (
	setupIOPoll       = 1 << 0
	setupSQPoll       = 1 << 1
	setupSQAff        = 1 << 2
	setupCQSize       = 1 << 3  // 5.5
	setupRDisabled    = 1 << 6  // 5.10
	setupSubmitAll    = 1 << 7  // 5.18
	setupCoopTaskrun  = 1 << 8  // 5.19
	setupSQE128       = 1 << 10 // 5.19
	setupCQE32        = 1 << 11 // 5.19
	setupSingleIssuer = 1 << 12 // 6.0
	setupDeferTaskrun = 1 << 13 // 6.1
	setupNoSQArray    = 1 << 16 // 6.6
	setupHybridIOPoll = 1 << 17 // 6.13
)

var flagTable = []struct {
	bit  uint32
	name string
}{
	{setupIOPoll, "IOPOLL"},
	{setupHybridIOPoll, "HYBRID_IOPOLL"},
	{setupSQPoll, "SQPOLL"},
	{setupSQAff, "SQ_AFF"},
	{setupCQSize, "CQSIZE"},
	{setupRDisabled, "R_DISABLED"},
	{setupSubmitAll, "SUBMIT_ALL"},
	{setupCoopTaskrun, "COOP_TASKRUN"},
	{setupSQE128, "SQE128"},
	{setupCQE32, "CQE32"},
	{setupSingleIssuer, "SINGLE_ISSUER"},
	{setupDeferTaskrun, "DEFER_TASKRUN"},
	{setupNoSQArray, "NO_SQARRAY"},
}

func flagNames(flags uint32) []string {
	var names []string
	for _, f := range flagTable {
		if flags&f.bit != 0 {
			names = append(names, f.name)
		}
	}
	return names
}

// setupFlags is the ring that a run wants: required flags define the test and
// are never dropped; wanted ones make it faster and go, newest first, where
// the kernel does not know them. The set follows from the mode: COOP and
// DEFER_TASKRUN are refused with SQPOLL (io_uring_setup(2)).
func setupFlags(s *result.Spec, polled bool) (required, wanted uint32) {
	wanted = setupCQSize | setupSubmitAll | setupSingleIssuer | setupNoSQArray
	if s.SQPoll {
		required |= setupSQPoll
		if s.SQPollCPU >= 0 {
			required |= setupSQAff
		}
	} else {
		wanted |= setupCoopTaskrun | setupDeferTaskrun
	}
	if polled {
		required |= setupIOPoll
		if s.HybridPoll {
			required |= setupHybridIOPoll
		}
	}
	if s.Restricted {
		required |= setupRDisabled
	}
	if s.Passthrough {
		required |= setupSQE128 | setupCQE32
	}
	return required, wanted
}
