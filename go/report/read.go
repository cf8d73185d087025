package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"ringpeak/go/result"
)

// ReadDocument reads a result that this or an earlier tool wrote, from a file
// that errors call name. Fields that this tool does not know are passed over,
// and those that the writer did not know are left empty. Anything but one whole
// document of SchemaVersion is refused with one sentence, a *result.Error.
func ReadDocument(in io.Reader, name string) (*result.Result, error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, result.Errorf(result.StatusIO, "read %s: %w", name, err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, refuse("%s is empty: is the run that writes it still going on?", name)
	}
	var head struct {
		Schema any `json:"schema"`
		Type   any `json:"type"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&head); {
	case errors.Is(err, io.ErrUnexpectedEOF) && IsDocument(text):
		return nil, refuse("%s ends in the middle of the document: it was cut off, so measure again", name)
	case err != nil:
		return nil, refuse("%s is no result of ringpeak: it is not JSON", name)
	case head.Type != nil && head.Schema == result.SchemaVersion:
		return nil, refuse("%s holds the lines of --jsonl: name the document that --json wrote", name)
	case head.Schema == nil:
		return nil, refuse("%s is no result of ringpeak: it names no schema", name)
	case isComparison(head.Schema):
		return nil, refuse("%s is a comparison already (schema %v): name documents of runs, which --json wrote", name, head.Schema)
	case head.Schema != result.SchemaVersion:
		return nil, refuse("%s is of schema %v, and this ringpeak reads %s: use the version that wrote it", name, head.Schema, result.SchemaVersion)
	case len(bytes.TrimSpace(text[dec.InputOffset():])) > 0:
		return nil, refuse("%s holds more than one document: split it", name)
	}
	r := new(result.Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, refuse("%s is no valid result of ringpeak: %w", name, err)
	}
	if r.Started == "" || r.Summary.WindowNS <= 0 || r.End.Reason == "" {
		return nil, refuse("%s is no valid result of ringpeak: it does not say what was measured", name)
	}
	return r, nil
}

// isComparison says whether a schema is that of a document of ringpeak ab or
// compare, of whatever version.
func isComparison(schema any) bool {
	name, _ := schema.(string)
	return strings.HasPrefix(name, "ringpeak.ab/") || strings.HasPrefix(name, "ringpeak.comparison/")
}

func refuse(format string, args ...any) error {
	return result.Errorf(result.StatusUsage, format, args...)
}
