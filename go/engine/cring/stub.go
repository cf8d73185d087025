//go:build !cgo

package cring

import (
	"time"

	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// Engine is a stub: this binary was built without cgo.
type Engine struct{}

// Linked says what was linked: nothing.
func Linked() Info { return Info{CoreID: "none (built without cgo)", Liburing: "none"} }

// New says what is missing.
func New() (*Engine, error) {
	return nil, result.Errorf(result.StatusSetup,
		"this ringpeak was built without cgo and cannot do I/O: build it with make, which needs gcc and CGO_ENABLED=1")
}

// Probe is never reached: New fails.
func (*Engine) Probe(*result.Spec, bool) error { panic("cring: stub") }

// Calibrate is never reached: New fails.
func (*Engine) Calibrate(time.Duration) (engine.Clock, error) { panic("cring: stub") }

// Open is never reached: New fails.
func (*Engine) Open(engine.Config) (engine.Submitter, error) { panic("cring: stub") }
