// Package spelling finds the word that was most likely meant by another one.
//
// It knows no words of its own. It imports nothing of ours.
package spelling

import "strings"

// maxBytes is the length from which on a word is not looked at: it is longer
// than any name that could have been meant.
const maxBytes = 64

// Distance is the number of single-byte edits from a to b. A word far longer
// than any name costs its length without being looked at.
func Distance(a, b string) int {
	if len(a) > maxBytes {
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

// Nearest is the first of the words that takes the fewest edits, or "": more
// than two edits, or edits of half a word, make another word. The beginning of
// a word, three bytes or more, costs nothing: cut short is likelier than a slip.
func Nearest(given string, words []string) string {
	best, bestCost := "", 3
	for _, w := range words {
		cost := Distance(given, w)
		if len(given) >= 3 && strings.HasPrefix(w, given) {
			cost = 0 // cut short, which is likelier than a slip
		}
		if cost < bestCost && cost*2 < len(w) {
			best, bestCost = w, cost
		}
	}
	return best
}
