package result_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"ringpeak/go/result"
	"ringpeak/go/result/schematest"
)

var update = flag.Bool("update", false, "write schema.json anew")

// TestSchemaIsCurrent: the committed files are what the types generate.
func TestSchemaIsCurrent(t *testing.T) {
	isCurrent(t, "schema.json", result.Schema(),
		generate[result.Result](t, result.SchemaVersion, "The result of one run of ringpeak.", oldDocuments(t)))
	isCurrent(t, "schema_ab.json", result.ABSchema(),
		generate[result.AB](t, result.ABSchemaVersion, "A comparison in pairs by ringpeak ab.", nil))
	isCurrent(t, "schema_comparison.json", result.ComparisonSchema(),
		generate[result.Comparison](t, result.ComparisonSchemaVersion, "A comparison of saved results by ringpeak compare.", nil))
}

func isCurrent(t *testing.T, file, committed string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(want), committed); d != "" {
		t.Errorf("go test ./go/result -run Schema -update rewrites %s (-generated +committed)\n%s", file, d)
	}
}

// generate makes the schema of a document: what the library infers, with the comments of
// the sources as descriptions, open to further fields, lists that are never
// null, and nothing required that older documents lack.
func generate[T any](t *testing.T, name, description string, old []any) []byte {
	t.Helper()
	s, err := jsonschema.For[T](nil)
	if err != nil {
		t.Fatal(err)
	}
	comments := fieldComments(t)
	describe(s, reflect.TypeFor[T](), comments)
	relax(s, old)
	version := any(name)
	s.Properties["schema"].Const = &version
	var b, out bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&out, slices.Concat(head(name, description), b.Bytes()[1:]), "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// head is how the schema begins: people read that first.
func head(name, description string) []byte {
	return []byte(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "` + name + `", "description": "` + description +
		` null and absent mean unknown or not asked for, never zero. Readers have to expect further fields.",`)
}

// describe sets the descriptions of properties from the comments on the fields
// that they are made of, opens objects to further properties, and makes lists
// lists.
func describe(s *jsonschema.Schema, typ reflect.Type, comments map[string]string) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.Slice:
		s.Type, s.Types = "array", nil
		describe(s.Items, typ.Elem(), comments)
	case reflect.Struct:
		s.AdditionalProperties = nil
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[name]
			if f.Anonymous || p == nil {
				continue
			}
			p.Description = comments[owner(typ, f)+"."+f.Name]
			describe(p, f.Type, comments)
		}
	}
}

// owner is the name of the struct that declares a field, which may be embedded.
func owner(typ reflect.Type, f reflect.StructField) string {
	for _, i := range f.Index[:len(f.Index)-1] {
		typ = typ.Field(i).Type
	}
	return typ.Name()
}

// relax requires nothing that one of the values, which stand where s does in
// older documents, lacks.
func relax(s *jsonschema.Schema, values []any) {
	if s.Items != nil {
		var items []any
		for _, v := range values {
			if list, ok := v.([]any); ok {
				items = append(items, list...)
			}
		}
		relax(s.Items, items)
	}
	for name, p := range s.Properties {
		var children []any
		for _, v := range values {
			object, ok := v.(map[string]any)
			if !ok {
				continue
			}
			child, there := object[name]
			if there {
				children = append(children, child)
				continue
			}
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		relax(p, children)
	}
}

// oldDocuments are those of earlier tools of this schema version.
func oldDocuments(t *testing.T) (list []any) {
	t.Helper()
	files, err := filepath.Glob("testdata/old/1-*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no older documents: ", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// TestSchemaTakesOlderDocuments: what was valid stays so.
func TestSchemaTakesOlderDocuments(t *testing.T) {
	files, _ := filepath.Glob("testdata/old/1-*.json")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := schematest.Validate(b); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
}

// TestSchemaCanFail breaks a document in one place at a time.
func TestSchemaCanFail(t *testing.T) {
	b, err := os.ReadFile("testdata/old/1-nop.json")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	for what, c := range map[string]struct {
		old, new string
		ok       bool
	}{
		"another version":   {`"ringpeak.result/1"`, `"ringpeak.result/2"`, false},
		"a missing field":   {`"exit_status": 0`, `"exit_state": 0`, false},
		"text for a number": {`"depth": 128`, `"depth": "128"`, false},
		"a negative count":  {`"submitted": `, `"submitted": -`, false},
		"a fraction":        {`"window_ns": `, `"window_ns": 0.5, "later": `, false},
		"null for a list":   {`"targets": []`, `"targets": null`, false},
		"null for a number": {`"depth": 128`, `"depth": null`, false},
		"truncated":         {doc[len(doc)/2:], ``, false},
		"a field more":      {`"depth": 128`, `"depth": 128, "later": [{}]`, true},
		"unknown":           {`"io_uring_disabled": 0`, `"io_uring_disabled": null`, true},
	} {
		changed := strings.Replace(doc, c.old, c.new, 1)
		if changed == doc {
			t.Fatalf("%s: nothing to change", what)
		}
		if err := schematest.Validate([]byte(changed)); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestSchemaIsDescribed: whoever reads it need not read the sources. What the
// name of a field says in full needs no comment.
func TestSchemaIsDescribed(t *testing.T) {
	for _, want := range []string{
		"I/Os that succeeded in full; the only thing that IOPS counts",
		"CLOCK_MONOTONIC between the two readings",
		"RFC 3339, UTC",
		"revision", // of an embedded struct
	} {
		if !strings.Contains(result.Schema(), want) {
			t.Errorf("the schema lacks %q", want)
		}
	}
}
