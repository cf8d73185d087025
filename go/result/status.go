package result

import "fmt"

// Exit statuses of the tool.
const (
	StatusOK     = 0 // measured, no errors
	StatusIO     = 1 // I/O errors, or nothing could be measured
	StatusUsage  = 2
	StatusUnsafe = 3   // refused for safety
	StatusSetup  = 4   // kernel, permission, limits
	StatusAssert = 5   // an assertion failed, or a comparison was inconclusive
	StatusKilled = 130 // a second signal
)

// Error is a failure that a person reads: one sentence that says what failed,
// on which target, why, and what to do, and the exit status that goes with it.
type Error struct {
	Status int
	Text   string
	Err    error // cause, for errors.Is; may be nil
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error. A %w verb sets the cause.
func Errorf(status int, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Status: status, Text: err.Error(), Err: err}
}

// Because makes an Error whose sentence says it all, with the cause that
// errors.Is finds but that people need not read as well.
func Because(cause error, status int, format string, args ...any) *Error {
	return &Error{Status: status, Text: fmt.Sprintf(format, args...), Err: cause}
}
