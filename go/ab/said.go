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

// lastLine is what a command said at last, in brackets, as far as a sentence
// has room for it.
func lastLine(s string) string {
	const most = 200
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	lines := strings.Split(s, "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if len(last) > most {
		last = strings.ToValidUTF8(last[:most], "") + " …"
	}
	return " (" + last + ")"
}
