package result

import _ "embed" // of the schemas

//go:embed schema.json
var schema string

//go:embed schema_ab.json
var abSchema string

//go:embed schema_comparison.json
var comparisonSchema string

// Schema is the JSON Schema (draft 2020-12) of the document named
// SchemaVersion. It is made from the types and the comments of this package:
// go test ./go/result -run Schema -update writes it.
//
// Its properties are all fields that there are; a reader has to expect others,
// of later versions of the tool. What it requires is in every document of this
// version, whichever tool wrote it.
func Schema() string { return schema }

// ABSchema is that of the document named ABSchemaVersion.
func ABSchema() string { return abSchema }

// ComparisonSchema is that of the document named ComparisonSchemaVersion.
func ComparisonSchema() string { return comparisonSchema }
