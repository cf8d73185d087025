package assert

import (
	"math"
	"strconv"
	"strings"

	"ringpeak/go/result"
)

// kind is what a metric's values are: their unit in a document, and how they
// are written.
type kind struct {
	unit  string   // as in result.Assertion
	wants string   // a value, in words
	units []string // what values are written in when not as typed, ascending
	// scales are the suffixes and what they multiply with.
	scales map[string]float64
}

var (
	rate      = kind{"per_second", "a rate: write a number, also with k, M or G for powers of a thousand (5M)", thousands, decimal}
	count     = kind{"count", "a count: write a number (0), also with k, M or G for powers of a thousand", thousands, decimal}
	bandwidth = kind{"bytes_per_second", "bytes per second: write a number with Ki, Mi or Gi for powers of 1024 or k, M or G for those of 1000 (3.5GiB)", []string{"B/s", "KiB/s", "MiB/s", "GiB/s"}, sizes()}
	duration  = kind{"ns", "a time: write a number and ns, us, ms or s (100us)", []string{"ns", "us", "ms", "s"}, map[string]float64{
		"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9,
	}}
	fraction = kind{"fraction", "a fraction: write a number (0.5), or a percentage (50%)", nil, map[string]float64{"": 1, "%": 0.01}}
	state    = kind{"state", "the state of a check: write pass, warn, fail or unknown", nil, nil}

	thousands = []string{"", "k", "M", "G"}
	decimal   = map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
)

// sizes are all ways to write a number of bytes: 3G, 3GB, 3Gi, 3GiB, 3GiB/s.
func sizes() map[string]float64 {
	powers := map[string]float64{"": 1}
	for i, letters := range []string{"kK", "M", "G", "T"} {
		for _, l := range strings.Split(letters, "") {
			powers[l] = math.Pow(1000, float64(i+1))
			powers[l+"i"] = math.Pow(1024, float64(i+1))
		}
	}
	all := map[string]float64{}
	for suffix, power := range powers {
		for _, end := range []string{"", "B", "/s", "B/s"} {
			all[suffix+end] = power
		}
	}
	return all
}

// number is a value as it was typed.
type number struct {
	value  float64 // in the base unit
	scale  float64 // of the suffix
	suffix string
}

// parse reads digits with at most one point, and a suffix.
func (k *kind) parse(s string) (number, bool) {
	digits := s
	if i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' }); i >= 0 {
		digits = s[:i]
	}
	n := number{suffix: strings.TrimLeft(s[len(digits):], " \t")}
	v, err := strconv.ParseFloat(digits, 64)
	scale, known := k.scales[n.suffix]
	if err != nil || !known || math.IsInf(v*scale, 0) {
		return number{}, false
	}
	// Divided where that is exact and multiplying is not: 33% is 0.33.
	n.value, n.scale = v*scale, scale
	if scale < 1 {
		n.value = v / math.Round(1/scale)
	}
	return n, true
}

// format writes v in the unit of n, in as few digits, four or more, as leave it
// on the same side of n; what is far smaller is written in a unit of its own.
func (k *kind) format(v float64, n number, same func(float64) bool) string {
	scale, suffix := n.scale, n.suffix
	if scale > 1 && v < scale/100 {
		for i, u := range k.units {
			if s := k.scales[u]; i == 0 || v >= s {
				scale, suffix = s, u
			}
		}
	}
	for digits := 4; digits <= 17; digits++ {
		short, err := strconv.ParseFloat(strconv.FormatFloat(v/scale, 'g', digits, 64), 64)
		if err != nil {
			break
		}
		if v == math.Trunc(v) && scale == 1 && short != v {
			continue // a count is told in full
		}
		if same(short * scale) {
			return strconv.FormatFloat(short, 'f', -1, 64) + suffix
		}
	}
	return strconv.FormatFloat(v/scale, 'f', -1, 64) + suffix
}

func isState(s string) bool {
	switch result.CheckState(s) {
	case result.CheckPass, result.CheckWarn, result.CheckFail, result.CheckUnknown:
		return true
	}
	return false
}
