package ab

import "strings"

// said keeps the beginning of what is written to it: sentences come first, and
// a program that floods does not fill the memory. It is no bytes.Buffer, the
// ReadFrom of which has no limit.
type said struct{ text []byte }

func (t *said) Write(b []byte) (int, error) {
	const most = 64 << 10
	if room := most - len(t.text); room > 0 {
		t.text = append(t.text, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

func (t *said) String() string { return string(t.text) }

// firstLine is what a command said first, in brackets, as far as a sentence has
// room for it.
func firstLine(s string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return inBrackets(first)
}

// lastLine is what a command said last, as firstLine.
func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return inBrackets(s[strings.LastIndexByte(s, '\n')+1:])
}

func inBrackets(line string) string {
	const most = 200
	line = strings.TrimSpace(line)
	if line == "" {
		return ""
	}
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + " …"
	}
	return " (" + line + ")"
}
