package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ringpeak/go/stats"
)

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)

// appendIOPS is a rate as the kernel lists write it, powers of ten:
// 7.42M from a million up, 123.4K from a hundred thousand up, else an integer.
// The thresholds are where the rounded text changes its unit.
func appendIOPS(b []byte, v float64) []byte {
	switch {
	case v >= 999950:
		return append(strconv.AppendFloat(b, v/1e6, 'f', 2, 64), 'M')
	case v >= 99999.5:
		return append(strconv.AppendFloat(b, v/1e3, 'f', 1, 64), 'K')
	default:
		return strconv.AppendFloat(b, v, 'f', 0, 64)
	}
}

// appendBW is a bandwidth; GiB is 2^30 and MiB 2^20, exactly.
func appendBW(b []byte, bytesPerSecond float64) []byte {
	if bytesPerSecond >= gib {
		return append(strconv.AppendFloat(b, bytesPerSecond/gib, 'f', 2, 64), "GiB/s"...)
	}
	return append(strconv.AppendFloat(b, bytesPerSecond/mib, 'f', 1, 64), "MiB/s"...)
}

// appendIOSPerCall is submitted/completed I/Os per system call, "n/a" when
// there was no call.
func appendIOSPerCall(b []byte, rates stats.Rates, calls uint64) []byte {
	if calls == 0 {
		return append(b, "n/a"...)
	}
	b = strconv.AppendFloat(b, rates.SubmittedPerCall, 'f', 1, 64)
	b = append(b, '/')
	return strconv.AppendFloat(b, rates.CompletedPerCall, 'f', 1, 64)
}

// scaled makes a function that writes rates of one column in one unit, the
// one that suits the largest.
func scaled(largest float64) func(float64) string {
	div, decimals, unit := 1.0, 0, ""
	switch {
	case largest >= 999950:
		div, decimals, unit = 1e6, 3, "M"
	case largest >= 99999.5:
		div, decimals, unit = 1e3, 1, "K"
	}
	return func(v float64) string { return strconv.FormatFloat(v/div, 'f', decimals, 64) + unit }
}

// byteCount is a size that was chosen: exact, in the largest unit that divides it.
func byteCount(n int64) string {
	switch {
	case n != 0 && n%gib == 0:
		return fmt.Sprintf("%dGiB", n/gib)
	case n != 0 && n%mib == 0:
		return fmt.Sprintf("%dMiB", n/mib)
	case n != 0 && n%kib == 0:
		return fmt.Sprintf("%dKiB", n/kib)
	default:
		return fmt.Sprintf("%dB", n)
	}
}

// byteSize is a size that was found, rounded to two places.
func byteSize(n int64) string {
	switch v := float64(n); {
	case v >= tib:
		return fmt.Sprintf("%.2fTiB", v/tib)
	case v >= gib:
		return fmt.Sprintf("%.2fGiB", v/gib)
	case v >= mib:
		return fmt.Sprintf("%.2fMiB", v/mib)
	default:
		return byteCount(n)
	}
}

// duration is short: 10s, 1m30s, 250ms.
func duration(ns int64) string {
	s := time.Duration(ns).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// nanoseconds makes a function that writes latencies in one unit, the one that
// suits typical, and names the unit.
func nanoseconds(typical float64) (unit string, write func(float64) string) {
	div, decimals := 1.0, 0
	switch {
	case typical >= 10e9:
		unit, div, decimals = "s", 1e9, 2
	case typical >= 10e6:
		unit, div, decimals = "msec", 1e6, 2
	case typical >= 10e3:
		unit, div, decimals = "usec", 1e3, 1
	default:
		unit = "nsec"
	}
	return unit, func(v float64) string { return strconv.FormatFloat(v/div, 'f', decimals, 64) }
}

// bit is a boolean as t/io_uring prints it.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rounded is v as an integer; negative and not-a-number are 0.
func rounded(v float64) uint64 {
	if !(v > 0) {
		return 0
	}
	return uint64(math.Round(v))
}

// plural is "1 thing" or "2 things".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printable is s with its control characters escaped, so that a name cannot
// start a line of its own or drive the terminal.
func printable(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	return strings.Trim(strconv.Quote(s), `"`)
}

// shellWords is a command line that can be pasted into a shell. A word with
// control characters, or bytes that are no text, is written as bash's $'…',
// which is C's way.
func shellWords(argv []string) []string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%"
	words := make([]string, len(argv))
	for i, s := range argv {
		switch {
		case !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0:
			s = "$'" + dollarQuoted(s) + "'"
		case s == "" || strings.Trim(s, plain) != "":
			s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
		words[i] = s
	}
	return words
}

// dollarQuoted is s between the quotes of $'…': three octal digits for each byte
// that is none of a printable character, so that what follows is not taken for
// another digit.
func dollarQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == utf8.RuneError && n == 1 || unicode.IsControl(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// list is ascending numbers in the kernel's list syntax: 0-3,8.
func list(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d", numbers[i])
		if j > i {
			fmt.Fprintf(&b, "-%d", numbers[j])
		}
		i = j + 1
	}
	return b.String()
}
