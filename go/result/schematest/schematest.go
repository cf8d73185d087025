// Package schematest holds documents against the schema that result.Schema
// prints. It is imported by tests only, so that no program carries a validator.
//
// Of ours it may import result.
package schematest

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"ringpeak/go/result"
)

// Validate says what is wrong with a document.
func Validate(doc []byte) error {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(result.Schema()), &s); err != nil {
		return fmt.Errorf("the schema is no JSON Schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("resolve the schema: %w", err)
	}
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return fmt.Errorf("the document is no JSON: %w", err)
	}
	return resolved.Validate(v)
}
