package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestPrintWays(t *testing.T) {
	var out bytes.Buffer
	iops := [][]float64{{10, 20, 10}, {20, 30, 10}, {10, 20, 10}, {10, 20, 10}, {10, 20, 10}, {30, 60, 30}}
	if err := printWays(&out, iops); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(ways) || !strings.HasSuffix(lines[1], "1.50   (1.00 to 2.00)") || !strings.HasSuffix(lines[5], "3.00   (3.00 to 3.00)") {
		t.Error(out.String())
	}
	iops[2] = nil
	if printWays(&out, iops) == nil {
		t.Error("a row without runs was accepted")
	}
}
