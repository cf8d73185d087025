// Package architecture holds the rules of DESIGN.md, section 2, as tests over
// the sources: who may import whom, and what happens in cmd only. It has no
// code of its own, and imports nothing of ours.
package architecture

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "ringpeak/"

// mayImport is the import table: the packages of ours that each package may
// import. A new package or edge is a decision; it is made here and in DESIGN.md.
var mayImport = map[string][]string{
	"go/result":            {},
	"go/result/schematest": {"go/result"},
	"go/sysfs":             {},
	"go/sysfs/sysfstest":   {},
	"go/spelling":          {},
	"go/config":            {"go/result", "go/spelling"},
	"go/device":            {"go/result", "go/sysfs"},
	"go/machine":           {"go/result", "go/sysfs"},
	"go/affinity":          {"go/result", "go/sysfs"},
	"go/engine":            {"go/result"},
	"go/engine/cring":      {"go/engine", "go/result"},
	"go/engine/fake":       {"go/engine", "go/result"},
	"go/bench":             {"go/affinity", "go/check", "go/device", "go/engine", "go/result", "go/stats", "go/usage"},
	"go/usage":             {"go/result", "go/sysfs"},
	"go/check":             {"go/device", "go/result", "go/stats", "go/sysfs"},
	"go/stats":             {"go/result"},
	"go/metric":            {"go/result"},
	"go/ab":                {"go/metric", "go/result", "go/stats"},
	"go/assert":            {"go/result", "go/spelling", "go/stats"},
	"go/compare":           {"go/metric", "go/result", "go/spelling", "go/stats"},
	"go/report":            {"go/metric", "go/result", "go/stats"},
	"cmd/ringpeak":         {"go/ab", "go/assert", "go/bench", "go/compare", "go/config", "go/engine/cring", "go/machine", "go/report", "go/result", "go/sysfs"},
}

// forTests are packages that only tests may import.
var forTests = []string{"go/result/schematest", "go/sysfs/sysfstest", "go/engine/fake"}

const maxLines = 400

// source is one Go file.
type source struct {
	path string // from the top of the repository
	pkg  string // its folder
	test bool
	ast  *ast.File
}

func (s *source) imports() []string {
	var list []string
	for _, i := range s.ast.Imports {
		p, _ := strconv.Unquote(i.Path.Value) // the parser has accepted it
		list = append(list, p)
	}
	return list
}

// ours are the packages of ours that a file imports, without the module's name.
func (s *source) ours() []string {
	var list []string
	for _, i := range s.imports() {
		if p, ok := strings.CutPrefix(i, module); ok {
			list = append(list, p)
		}
	}
	return list
}

// files calls f with every file below some folders, outside of testdata.
func files(t *testing.T, f func(path string), folders ...string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join("..", folder), func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.Type().IsRegular():
				f(filepath.ToSlash(strings.TrimPrefix(p, ".."+string(filepath.Separator))))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sources parses all Go files, whatever their build constraints.
func sources(t *testing.T) []*source {
	t.Helper()
	var list []*source
	fset := token.NewFileSet()
	files(t, func(p string) {
		if path.Ext(p) != ".go" {
			return
		}
		tree, err := parser.ParseFile(fset, filepath.Join("..", p), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &source{path: p, pkg: path.Dir(p), test: strings.HasSuffix(p, "_test.go"), ast: tree})
	}, "go", "cmd")
	return list
}

func TestImportTable(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		seen[s.pkg] = true
		allowed, known := mayImport[s.pkg]
		if !known {
			t.Errorf("%s: package %s is not in the import table", s.path, s.pkg)
		}
		for _, p := range s.ours() {
			if !slices.Contains(allowed, p) {
				t.Errorf("%s: %s may not import %s", s.path, s.pkg, p)
			}
		}
	}
	for pkg := range maps.Keys(mayImport) {
		if !seen[pkg] {
			t.Errorf("%s is in the import table and does not exist", pkg)
		}
	}
}

func TestImportsOfTests(t *testing.T) {
	for _, s := range sources(t) {
		for _, p := range s.ours() {
			if strings.HasPrefix(p, "cmd/") {
				t.Errorf("%s imports %s", s.path, p)
			}
			if !s.test && slices.Contains(forTests, p) {
				t.Errorf("%s imports %s, which is for tests", s.path, p)
			}
		}
	}
}

func TestOnlyCringIsCgo(t *testing.T) {
	found := false
	for _, s := range sources(t) {
		for _, p := range s.imports() {
			if p != "C" {
				continue
			}
			found = true
			if s.pkg != "go/engine/cring" {
				t.Errorf("%s imports C", s.path)
			}
		}
	}
	if !found {
		t.Error("nothing imports C: does this test still see the sources?")
	}
}

// cmdOnly are the names, by import path, that only cmd may use.
var cmdOnly = map[string][]string{
	"os":  {"Exit", "Stdout", "Stderr", "Stdin", "Args"},
	"fmt": {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

func TestTerminalIsForCmd(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.pkg, "cmd/") {
			continue
		}
		for _, p := range s.imports() {
			if p == "flag" || p == "log" || p == "log/slog" {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
		names := map[string]string{} // local name of an import to its path
		for _, i := range s.ast.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			name := path.Base(p)
			if i.Name != nil {
				name = i.Name.Name
			}
			names[name] = p
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && slices.Contains(cmdOnly[names[x.Name]], n.Sel.Name) {
					t.Errorf("%s uses %s.%s", s.path, x.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
					t.Errorf("%s calls %s", s.path, f.Name)
				}
			}
			return true
		})
	}
}

func TestPackages(t *testing.T) {
	docs := map[string]int{}
	for _, s := range sources(t) {
		switch path.Base(s.pkg) {
		case "util", "utils", "common", "helper", "helpers", "misc":
			t.Errorf("%s: a package is named after what it does", s.path)
		}
		if s.test && s.pkg != "go" {
			continue
		}
		name := s.ast.Name.Name
		want := "Package " + name + " "
		if name == "main" {
			want = "Command " + path.Base(s.pkg) + " "
		} else if name != path.Base(s.pkg) && s.pkg != "go" {
			t.Errorf("%s: package %s in folder %s", s.path, name, s.pkg)
		}
		docs[s.pkg] += 0
		if s.ast.Doc == nil {
			continue
		}
		docs[s.pkg]++
		if !strings.HasPrefix(s.ast.Doc.Text(), want) {
			t.Errorf("%s: the doc comment of its package does not begin with %q", s.path, want)
		}
	}
	for pkg, n := range docs {
		if n != 1 {
			t.Errorf("%s has %d package doc comments, want one", pkg, n)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	files(t, func(p string) {
		if strings.HasSuffix(p, "_test.go") || strings.HasPrefix(p, "csrc/test/") || strings.HasPrefix(p, "go/result/schema") && path.Ext(p) == ".json" { // generated
			return
		}
		text, err := os.ReadFile(filepath.Join("..", p))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines, more than %d", p, n, maxLines)
		}
	}, "go", "cmd", "csrc")
}
