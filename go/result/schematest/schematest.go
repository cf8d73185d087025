// Package schematest holds documents against the schema that result.Schema
// prints. It is imported by tests only, so that no program carries a validator.
//
// Of ours it may import result.
package schematest

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"ringpeak/go/result"
)

// resolved is the schema in a form to validate with. Making it takes many times
// as long as using it.
var resolved = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(result.Schema()), &s); err != nil {
		return nil, fmt.Errorf("the schema is no JSON Schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolve the schema: %w", err)
	}
	return r, nil
})

// Validate says what is wrong with a document.
func Validate(doc []byte) error {
	schema, err := resolved()
	if err != nil {
		return err
	}
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return fmt.Errorf("the document is no JSON: %w", err)
	}
	return schema.Validate(v)
}
