package report

import (
	"fmt"
	"slices"
	"strings"

	"ringpeak/go/result"
)

// atMost is how many of a list are shown to people. The document has all.
const atMost = 6

// firsts are words in one text, no more than atMost of them.
func firsts(words []string, sep string) string {
	if more := len(words) - atMost; more > 1 {
		words = append(slices.Clone(words[:atMost]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, sep)
}

// differenceLines tell what differs, each field in its place. One that differs
// in another way in each of many configurations is one line of some of them.
func differenceLines(all []result.Difference) (list []headLine) {
	type field struct {
		path    string
		between bool
	}
	times, said := map[field]int{}, map[field]bool{}
	for i := range all {
		times[field{all[i].Path, all[i].Between}]++
	}
	for i := range all {
		d := &all[i]
		label, text := "mixed", mixedText(d)
		if d.Between {
			label, text = "differs", changeText(d)
		}
		if f := (field{d.Path, d.Between}); times[f] > atMost {
			if said[f] {
				continue
			}
			said[f] = true
			text += fmt.Sprintf(", and in %d other ways in other configurations", times[f]-1)
		}
		list = append(list, headLine{label, printable(fmt.Sprintf("%s: %s %s", d.Group, d.Title, text))})
	}
	return list
}

// mixedText is a difference within both sides.
func mixedText(d *result.Difference) string {
	return firsts(prettyAll(d.Path, d.Old), " | ") + " on both sides" + within(d)
}

func within(d *result.Difference) string {
	if len(d.Rows) == 0 {
		return ""
	}
	return ", with " + firsts(d.Rows, ", ")
}

// longValue is from which length on of two texts only the words that differ
// are shown.
const longValue = 40

// changeText is a difference between the sides.
func changeText(d *result.Difference) string {
	old, new := prettyAll(d.Path, d.Old), prettyAll(d.Path, d.New)
	if len(old) == 1 && len(new) == 1 && max(len(old[0]), len(new[0])) > longValue {
		if less, more := onlyIn(old[0], new[0]), onlyIn(new[0], old[0]); less+more != "" {
			var parts []string
			for _, p := range []struct{ what, words string }{{"without", less}, {"with", more}} {
				if p.words != "" {
					parts = append(parts, p.what+" "+p.words)
				}
			}
			return "is now " + strings.Join(parts, ", ") + within(d)
		}
	}
	return firsts(old, " | ") + " -> " + firsts(new, " | ") + within(d)
}

// onlyIn are the words of a that b has fewer of.
func onlyIn(a, b string) string {
	has := map[string]int{}
	for _, w := range strings.Fields(b) {
		has[w]++
	}
	var words []string
	for _, w := range strings.Fields(a) {
		if has[w]--; has[w] < 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

func prettyAll(path string, values []string) []string {
	var list []string
	for _, v := range values {
		list = append(list, pretty(path, v))
	}
	return list
}

// pretty is the value of a field for people.
func pretty(path, v string) string {
	var n int64
	if _, err := fmt.Sscanf(v, "%d", &n); err == nil && fmt.Sprint(n) == v {
		switch {
		case strings.HasSuffix(path, "_ns"):
			return duration(n)
		case strings.HasSuffix(path, "_bytes"):
			return byteCount(n)
		}
		return v
	}
	flag := strings.HasPrefix(path, "spec.") || strings.HasPrefix(path, "granted.")
	switch {
	case flag && (v == "true" || v == "yes"):
		return "1"
	case flag && (v == "false" || v == "no"):
		return "0"
	}
	return v
}
