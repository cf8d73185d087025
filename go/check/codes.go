package check

// The codes. They are part of the document and do not change.
const (
	CodeAccounting    = "accounting"
	CodeOverflow      = "cq-overflow"
	CodeStalled       = "stalled"
	CodeLate          = "late-interval"
	CodeWorkers       = "io-wq"
	CodePolled        = "polled"
	CodeLatency       = "latency-complete"
	CodeLittle        = "littles-law" // its text is of stats, mostly
	CodeDeviceReads   = "device-reads"
	CodeOtherIO       = "other-io"
	CodeMedium        = "medium"
	CodePageCache     = "page-cache"
	CodeRange         = "range"
	CodeWritten       = "written"
	CodeSameData      = "same-data"
	CodeCPUShared     = "cpu-shared"
	CodeQueueShared   = "queue-shared"
	CodeTags          = "tags"
	CodeBlockSize     = "block-size"
	CodeQueueSettings = "queue-settings"
	CodeDebugKernel   = "debug-kernel"
	CodeSteady        = "steady"
	CodeRepeats       = "repeats-agree"
	CodeCeiling       = "ceiling"
	CodeClock         = "clock"
	CodeSteal         = "cpu-steal" // this and what follows: made by usage
	CodeThrottled     = "throttled"
	CodePreempted     = "preempted"
	CodeMigrated      = "migrated"
)

// Codes lists the codes of all checks of this package, in the order in which
// they are made.
func Codes() []string {
	return []string{
		CodeLatency, CodeClock, CodeLittle, CodeAccounting, CodeOverflow, CodeStalled, CodeLate, CodeWorkers, CodePolled,
		CodeDeviceReads, CodeOtherIO, CodeMedium, CodePageCache, CodeRange, CodeWritten, CodeSameData,
		CodeCPUShared, CodeQueueShared, CodeTags, CodeBlockSize, CodeQueueSettings, CodeDebugKernel,
		CodeSteady, CodeRepeats, CodeCeiling, CodeSteal, CodeThrottled, CodePreempted, CodeMigrated,
	}
}
