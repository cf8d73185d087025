package config

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ringpeak/go/result"
)

// maxCPU is the highest CPU number that can be named.
const maxCPU = 65535

// value is one parsed value: text as typed, and num for numbers, sizes (bytes),
// durations (nanoseconds) and booleans.
type value struct {
	set  bool // given, as opposed to the default
	num  int64
	text string
	list []string // all that were given, of an option that repeats
}

// parse checks one value by itself.
func (o *Option) parse(s string) (value, error) {
	v := value{text: s}
	ok := true
	switch o.Kind {
	case Integer:
		v.num, ok = parseInteger(s)
	case Size:
		v.num, ok = parseSize(s)
	case Duration:
		v.num, ok = parseDuration(s)
	case Bool, Tristate:
		v.num, ok = parseBool(s)
		if !ok && o.Kind == Tristate && s == "auto" {
			ok = true
		}
	case Switch:
		if v.num, ok = parseBool(s); !ok && slices.Contains(o.Values, s) {
			v.num, ok = 1, true
		}
	case Enum:
		ok = slices.Contains(o.Values, s)
	case Path, Text:
		ok = s != ""
	case Flags:
		_, err := Words(s)
		ok = err == nil
	case Fraction:
		v.num, ok = parseFraction(s)
	case CPUList:
		ok = validCPUList(s)
	}
	if ok && o.bounded() {
		ok = o.Min <= v.num && v.num <= o.Max
	}
	if !ok {
		return value{}, result.Errorf(result.StatusUsage, "%s: %q is not %s", o, s, o.wants())
	}
	return v, nil
}

func (o *Option) bounded() bool {
	return o.Kind == Integer || o.Kind == Size || o.Kind == Duration || o.Kind == Fraction
}

// wants says in words what a value must be, and how to write it.
func (o *Option) wants() string {
	switch o.Kind {
	case Integer:
		if o.Max == math.MaxInt64 {
			return "a whole number from " + strconv.FormatInt(o.Min, 10)
		}
		return "a whole number from " + strconv.FormatInt(o.Min, 10) + " to " + strconv.FormatInt(o.Max, 10)
	case Size:
		return "a size from 1 to 1g: write bytes (4096), or k, m or g for powers of 1024 (4k, 4KiB)"
	case Duration:
		return "a time from " + seconds(o.Min) + " to " + seconds(o.Max) + ": write seconds (10, 0.5), or a unit (500ms, 2m)"
	case Bool, Tristate, Switch:
		words := "0 or 1"
		switch o.Kind {
		case Tristate:
			words = "0, 1 or auto"
		case Switch:
			words = "0, 1 or " + strings.Join(o.Values, " or ")
		}
		if o.Letter == "" {
			return words + ": write --" + o.Name + ", or --" + o.Name + "=0"
		}
		return words + ": write -" + o.Letter + "1 or --" + o.Name + ", or -" + o.Letter + "0 or --" + o.Name + "=0"
	case Enum:
		return "one of " + strings.Join(o.Values, ", ")
	case CPUList:
		return "a list of CPUs: write numbers and ranges, as in 0-3,8"
	case Flags:
		return "a list of options with its quotes closed, as in --" + o.Name + " '-p1 -B1'"
	case Fraction:
		return "a part from " + percent(o.Min) + " to " + percent(o.Max) + ": write 1% or 0.01"
	}
	if o.Kind == Text {
		return "a text: write --" + o.Name + "=" + o.Placeholder()
	}
	return "the name of a file"
}

func seconds(ns int64) string {
	return strconv.FormatFloat(time.Duration(ns).Seconds(), 'f', -1, 64) + " s"
}

// percent is a number of millionths.
func percent(millionths int64) string {
	return strconv.FormatFloat(float64(millionths)/1e4, 'f', -1, 64) + "%"
}

func parseDecimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

func parseInteger(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// parseSize reads bytes with an optional unit, which is a power of 1024.
// "kB" is refused: it is 1000 to some people and 1024 to others.
func parseSize(s string) (int64, bool) {
	digits := strings.TrimRight(s, "kKmMgGiIbB")
	shift := 0
	switch strings.ToLower(s[len(digits):]) {
	case "":
	case "k", "kib":
		shift = 10
	case "m", "mib":
		shift = 20
	case "g", "gib":
		shift = 30
	default:
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return 0, false
	}
	return n << shift, true
}

// parseDuration reads a plain decimal number as seconds, anything else as a
// Go duration.
func parseDuration(s string) (int64, bool) {
	if s != "" && strings.Trim(s, "0123456789.") == "" {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	return int64(d), err == nil
}

func parseBool(s string) (int64, bool) {
	switch s {
	case "0", "no", "false":
		return 0, true
	case "1", "yes", "true":
		return 1, true
	}
	return 0, false
}

// validCPUList checks the kernel's list syntax without strides. The numbers
// themselves are for the stage that knows which CPUs there are.
func validCPUList(s string) bool {
	for item := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		a, errA := strconv.ParseUint(first, 10, 16)
		b, errB := strconv.ParseUint(last, 10, 16)
		if errA != nil || errB != nil || a > b {
			return false
		}
	}
	return true
}
