package ab

import (
	"math"
	"strconv"

	"ringpeak/go/result"
)

// percent is a part in per cent, with two digits that count, as far as whole
// per cent need no more.
func percent(part float64) string {
	v := 100 * math.Abs(part)
	digits := 0
	switch {
	case v < 0.0995:
		digits = 3
	case v < 0.995:
		digits = 2
	case v < 99.5:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + "%"
}

// signed is percent with its sign.
func signed(part float64) string {
	if part < 0 {
		return "-" + percent(part)
	}
	return "+" + percent(part)
}

// interval is that of an effect.
func interval(e *result.Effect) string { return signed(*e.Low) + " to " + signed(*e.High) }
