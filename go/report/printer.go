package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Layout of the native text, in columns.
const (
	pageWidth  = 100
	labelWidth = 11
)

// printer writes lines, each with one Write, out of one buffer that it keeps.
// After the first error it writes no more.
type printer struct {
	w   io.Writer
	buf []byte
	err error
}

func newPrinter(w io.Writer) printer {
	return printer{w: w, buf: make([]byte, 0, 4096)}
}

// flush ends the line in buf and writes it. It allocates only when it fails.
func (p *printer) flush() error {
	p.buf = append(p.buf, '\n')
	if p.err == nil {
		n, err := p.w.Write(p.buf)
		if err == nil && n < len(p.buf) {
			err = io.ErrShortWrite
		}
		if err != nil {
			p.err = fmt.Errorf("write results: %w", err)
		}
	}
	p.buf = p.buf[:0]
	return p.err
}

// linef writes one formatted line.
func (p *printer) linef(format string, args ...any) {
	p.buf = fmt.Appendf(p.buf, format, args...)
	p.flush()
}

// items writes a labelled list, comma-separated, broken between items where
// the page ends. Empty items are left out; without a label and items there is
// no line.
func (p *printer) items(label string, items ...string) {
	kept := make([]string, 0, len(items))
	for _, s := range items {
		if s != "" {
			kept = append(kept, s)
		}
	}
	if label == "" && len(kept) == 0 {
		return
	}
	for i := range kept[:max(0, len(kept)-1)] {
		kept[i] += ","
	}
	p.wrapped(label, kept)
}

// sentence writes a labelled text, broken between words where the page ends.
func (p *printer) sentence(label, text string) {
	p.wrapped(label, strings.Fields(text))
}

func (p *printer) wrapped(label string, parts []string) {
	line := pad(label, labelWidth)
	used := false
	for _, s := range parts {
		if used && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(s) > pageWidth {
			p.linef("%s", line)
			line, used = pad("", labelWidth), false
		}
		if used {
			line += " "
		}
		line += s
		used = true
	}
	p.linef("%s", strings.TrimRight(line, " "))
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(s)))
}
