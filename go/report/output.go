package report

import (
	"bytes"
	"strings"
)

// The formats that a run is written in, and how the beginning of a file shows
// that it is one of ours: only such a file is replaced without a word.

// IsDocument says whether a file that begins so is a document of WriteJSON, of
// whatever version.
func IsDocument(start []byte) bool {
	return bytes.HasPrefix(start, []byte("{")) && bytes.Contains(start, []byte(`"schema": "ringpeak.`))
}

// IsLines says whether a file that begins so holds the lines of Lines.
func IsLines(start []byte) bool {
	return bytes.HasPrefix(start, []byte(`{"type":"start","schema":"ringpeak.`))
}

// IsOpenMetrics says whether a file that begins so is one of WriteOpenMetrics.
func IsOpenMetrics(start []byte) bool {
	line, _, _ := strings.Cut(string(start), "\n")
	return strings.HasPrefix(line, "# ") && strings.Contains(line, " ringpeak_")
}

// IsHDRLog says whether a file that begins so is one of WriteHDRLog.
func IsHDRLog(start []byte) bool {
	return bytes.HasPrefix(start, []byte("#ringpeak "))
}

// IsBench says whether a file that begins so is one of WriteBench.
func IsBench(start []byte) bool {
	return bytes.HasPrefix(start, []byte(benchTitle))
}
