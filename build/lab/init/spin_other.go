//go:build !amd64

package main

import "errors"

// The kernels of the lab are amd64's.
func calibrate(string) error { return errors.New("spin: only on amd64") }
