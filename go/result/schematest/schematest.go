// Package schematest holds documents against the schemas of package result. It is imported by tests only, so that no program carries a validator.
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

// The schemas in a form to validate with. Making it takes many times as long as
// using it.
var (
	ofRuns        = sync.OnceValues(func() (*jsonschema.Resolved, error) { return resolve(result.Schema()) })
	ofComparisons = sync.OnceValues(func() (*jsonschema.Resolved, error) { return resolve(result.ComparisonSchema()) })
	ofAB          = sync.OnceValues(func() (*jsonschema.Resolved, error) { return resolve(result.ABSchema()) })
)

func resolve(text string) (*jsonschema.Resolved, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, fmt.Errorf("the schema is no JSON Schema: %w", err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("resolve the schema: %w", err)
	}
	return r, nil
}

// Validate says what is wrong with the document of a run.
func Validate(doc []byte) error { return validate(doc, ofRuns) }

// ValidateAB says what is wrong with the document of a comparison in pairs.
func ValidateAB(doc []byte) error { return validate(doc, ofAB) }

// ValidateComparison says what is wrong with the document of a comparison of
// saved results.
func ValidateComparison(doc []byte) error { return validate(doc, ofComparisons) }

func validate(doc []byte, resolved func() (*jsonschema.Resolved, error)) error {
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
