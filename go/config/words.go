package config

import (
	"fmt"
	"strings"
)

// Words splits a text as a shell does into words: at blanks, with '…', "…" and
// backslashes to quote. Nothing is expanded.
func Words(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // a word has begun, perhaps an empty one
	end := func() {
		if open {
			words = append(words, word.String())
			word.Reset()
			open = false
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n':
			end()
		case '\'', '"':
			n := quoted(text[i+1:], c, &word)
			if n < 0 {
				return nil, fmt.Errorf("a %c is not closed", c)
			}
			i += n
			open = true
		case '\\':
			if i++; i == len(text) {
				return nil, fmt.Errorf("it ends in a backslash")
			}
			word.WriteByte(text[i])
			open = true
		default:
			word.WriteByte(c)
			open = true
		}
	}
	end()
	return words, nil
}

// quoted adds to word what stands before the closing quote, and returns how
// much of text that takes, the quote included; -1 when there is none. In double
// quotes a backslash keeps its meaning before a quote or another one.
func quoted(text string, quote byte, word *strings.Builder) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == quote:
			return i + 1
		case c == '\\' && quote == '"' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
	}
	return -1
}
