package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"ringpeak/go/result"
)

// Lines follows a run as JSON lines (--jsonl), each one object, written whole
// and at once, so that a reader sees it when it is true and a run that is
// killed leaves valid lines:
//
//	{"type":"start","schema":…,"tool":…,"command":…,…,"notes":…}
//	{"type":"warmup","start_ns":…,"length_ns":…,"total":…,…}       for each interval of a warm-up
//	{"type":"interval","start_ns":…,"length_ns":…,"total":…,…}     for each interval
//	{"type":"end","summary":…,…,"end":…}
//
// The fields are those of the document: the first line has what was known
// before the first I/O, an interval line is an element of "intervals", and the
// last line has the rest, and those of the first whose value has changed since.
// Put together, they are the document, in which a warm-up is not.
//
// Lines implements Reporter.
type Lines struct {
	path  string    // empty for a given writer
	w     io.Writer // nil before Started, for a path
	file  *os.File
	plain bool  // file is a regular one
	count int   // of lines after the first that were to be written
	err   error // of the first write that failed
	start map[string]json.RawMessage

	buf      bytes.Buffer
	enc      *json.Encoder
	interval result.Interval
	line     intervalLine // of interval
}

type intervalLine struct {
	Type string `json:"type"`
	*result.Interval
}

// NewLines writes lines to w. An error of w is returned, and ends the run.
func NewLines(w io.Writer) *Lines {
	l := &Lines{w: w}
	l.line = intervalLine{"interval", &l.interval}
	l.enc = json.NewEncoder(&l.buf)
	l.enc.SetEscapeHTML(false)
	return l
}

// NewLinesFile writes lines to a file, which takes the place of one at path
// when the run starts, as SaveJSON does. Once that is there, nothing that
// happens to it ends the run: the first error ends the lines, behind a whole
// one, and Finished returns it.
func NewLinesFile(path string) *Lines {
	l := NewLines(nil)
	l.path = path
	return l
}

// startFields are the fields of the document that the first line has.
var startFields = []string{
	"schema", "tool", "command", "system", "started", "spec", "targets", "placements", "granted", "notes",
}

// Started writes the first line.
func (l *Lines) Started(r *result.Result) error {
	fields, err := fieldsOf(r)
	if err != nil {
		return err
	}
	l.start = map[string]json.RawMessage{}
	fields = slices.DeleteFunc(fields, func(f field) bool { return !slices.Contains(startFields, f.name) })
	for _, f := range fields {
		l.start[f.name] = f.value
	}
	l.object("start", fields)
	if l.w != nil {
		return l.flush()
	}
	defer l.buf.Reset()
	return writing(l.path, l.open(l.buf.Bytes()))
}

// open makes the file, with its first line.
func (l *Lines) open(first []byte) error {
	path, stream, err := Place(l.path)
	switch {
	case err != nil:
		return err
	case !stream:
		l.file, err = begin(path, first)
		l.plain = true
	default:
		if l.file, err = openStream(path); err == nil {
			_, err = l.file.Write(first)
		}
	}
	if err != nil {
		return err
	}
	l.w = l.file
	return nil
}

// Interval writes one line.
func (l *Lines) Interval(_ *result.Result, iv *result.Interval) error {
	if l.err != nil {
		return l.heard()
	}
	l.interval = *iv
	l.line.Type = "interval"
	if iv.Warmup {
		l.line.Type = "warmup"
	}
	fillInterval(&l.interval)
	if err := l.enc.Encode(&l.line); err != nil {
		return fmt.Errorf("marshal interval: %w", err)
	}
	l.count++
	return l.flush()
}

// Finished writes the last line, and closes a file.
func (l *Lines) Finished(r *result.Result) error {
	if l.w == nil {
		return nil // it never began
	}
	if l.err == nil {
		fields, err := fieldsOf(r)
		if err != nil {
			return err
		}
		l.object("end", slices.DeleteFunc(fields, func(f field) bool {
			return f.name == "intervals" || bytes.Equal(l.start[f.name], f.value)
		}))
		l.count++
		_ = l.flush() // l.err has it
	}
	switch {
	case l.plain && l.err == nil:
		return l.told(errors.Join(l.lost(), l.file.Close()))
	case l.file != nil:
		return l.told(l.file.Close())
	case l.err != nil:
		return l.heard()
	}
	return nil
}

// flush writes what is in buf with one Write.
func (l *Lines) flush() error {
	n, err := l.w.Write(l.buf.Bytes())
	if err == nil && n < l.buf.Len() {
		err = io.ErrShortWrite
	}
	l.buf.Reset()
	switch {
	case err == nil:
		return nil
	case l.plain && n > 0: // half a line, of a disk that is full
		err = errors.Join(err, l.shorten(n))
	}
	l.err = err
	return l.heard()
}

// shorten takes the last n bytes from the file.
func (l *Lines) shorten(n int) error {
	st, err := l.file.Stat()
	if err != nil {
		return err
	}
	return l.file.Truncate(st.Size() - int64(n))
}

// lost says that the file has no name any more, so that closing it would be
// the end of it.
func (l *Lines) lost() error {
	st, err := l.file.Stat()
	if err != nil {
		return err
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || sys.Nlink > 0 {
		return nil
	}
	return errors.New("it was removed while the run went on")
}

// heard is the error that the run should hear of at once: only that of a
// writer somebody reads along.
func (l *Lines) heard() error {
	if l.file != nil {
		return nil
	}
	return fmt.Errorf("write lines: %w", l.err)
}

// told is the sentence for the end of the run.
func (l *Lines) told(closed error) error {
	if l.err == nil {
		return writing(l.path, closed)
	}
	return fmt.Errorf("%w: its lines end with line %d, while the run went on", writing(l.path, l.err), l.count)
}

// object puts one object with its type into buf.
func (l *Lines) object(typ string, fields []field) {
	fmt.Fprintf(&l.buf, `{"type":%q`, typ)
	for _, f := range fields {
		fmt.Fprintf(&l.buf, `,%q:%s`, f.name, f.value)
	}
	l.buf.WriteString("}\n")
}

// field is one field of a document.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf are the fields of the document of r, in their order.
func fieldsOf(r *result.Result) ([]field, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(withLists(r)); err != nil {
		return nil, fmt.Errorf("marshal result: %w", err)
	}
	dec := json.NewDecoder(&b)
	if _, err := dec.Token(); err != nil { // the brace
		return nil, err
	}
	var all []field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: name.(string)} // a key is a string
		if err := dec.Decode(&f.value); err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
