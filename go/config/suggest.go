package config

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// suggest finds the option that was most likely meant, or "".
func suggest(table []Option, given string) string {
	if name, isLong := strings.CutPrefix(given, "--"); isLong {
		return suggestName(table, name)
	}
	r, _ := utf8.DecodeRuneInString(given[1:])
	other := unicode.ToLower(r)
	if other == r {
		other = unicode.ToUpper(r)
	}
	if o := byLetter(table, string(other)); o != nil && other != r {
		return "-" + o.Letter + " (--" + o.Name + ")"
	}
	return ""
}

func suggestName(table []Option, name string) string {
	if o := byLetter(table, name); o != nil {
		return "-" + o.Letter
	}
	best, bestCost := "", 3
	for i := range table {
		o := &table[i]
		cost := distance(name, o.Name)
		if len(name) >= 3 && strings.HasPrefix(o.Name, name) {
			cost = 0 // cut short, which is likelier than a slip
		}
		if cost < bestCost && cost*2 < len(o.Name) {
			best, bestCost = "--"+o.Name, cost
		}
	}
	return best
}

// distance is the number of single-byte edits from a to b. Names far longer
// than any option cost their length without being looked at.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
