package config

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ringpeak/go/spelling"
)

// suggest finds the option that was most likely meant, or "".
func suggest(table Table, given string) string {
	if name, isLong := strings.CutPrefix(given, "--"); isLong {
		return suggestName(table, name)
	}
	r, _ := utf8.DecodeRuneInString(given[1:])
	other := unicode.ToLower(r)
	if other == r {
		other = unicode.ToUpper(r)
	}
	if o := table.byLetter(string(other)); o != nil && other != r {
		return "-" + o.Letter + " (--" + o.Name + ")"
	}
	return ""
}

func suggestName(table Table, name string) string {
	if o := table.byLetter(name); o != nil {
		return "-" + o.Letter
	}
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	if near := spelling.Nearest(name, names); near != "" {
		return "--" + near
	}
	return ""
}
