package result_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// fieldComments are the comments on the fields of this package's structs, by
// Struct.Field: the one above it and the one behind it.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					text := oneLine(f.Doc.Text() + f.Comment.Text())
					for _, id := range f.Names {
						comments[spec.Name.Name+"."+id.Name] = text
					}
				}
			}
			return true
		})
	}
	return comments
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
