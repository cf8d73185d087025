package metric

import (
	"math"
	"strconv"
	"strings"
)

// Percent is the magnitude of a number of per cent for people: two digits that
// count, as far as whole per cent need no more. What rounds to nothing is 0.00%.
func Percent(v float64) string {
	v = math.Abs(v)
	digits := 0
	switch {
	case v < 0.0995:
		digits = 3
	case v < 0.995:
		digits = 2
	case v < 99.5:
		digits = 1
	}
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(text, "0.") == "" {
		text = "0.00"
	}
	return text + "%"
}

// SignedPercent is Percent with its sign; nothing has none.
func SignedPercent(v float64) string {
	text := Percent(v)
	switch {
	case text == "0.00%":
		return text
	case v < 0:
		return "-" + text
	}
	return "+" + text
}
