//go:build cgo

package main

// withCgo says whether this binary holds the engine or its stub.
const withCgo = true
