package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Constant is an exported constant, with its value and the meaning from its doc comment.
type Constant struct {
	Name, Value, Meaning string
}

// Constants returns the exported constants of a Go file whose names begin with a prefix, in their order. The
// caller passes their values, since they may come from other packages. The test fails for a constant without
// a value, a value without a constant, and a constant without a comment.
func Constants(t testing.TB, file, prefix string, values map[string]string) []Constant {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatalf("reading constants: %v", err)
	}
	left := maps.Clone(values)
	var constants []Constant
	for _, spec := range specs(parsed) {
		name := spec.Names[0].Name
		if !strings.HasPrefix(name, prefix) || !ast.IsExported(name) {
			continue
		}
		value, ok := left[name]
		meaning := meaning(name, spec.Doc.Text())
		if !ok || meaning == "" {
			t.Fatalf("constant %s of %s has no value in the test (%v), or no comment (%q)", name, file, ok, meaning)
		}
		delete(left, name)
		constants = append(constants, Constant{name, value, meaning})
	}
	if len(left) > 0 {
		t.Fatalf("%s has no constants %v", file, slices.Sorted(maps.Keys(left)))
	}
	return constants
}

func specs(file *ast.File) []*ast.ValueSpec {
	var all []*ast.ValueSpec
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			if value.Doc == nil && len(group.Specs) == 1 {
				value.Doc = group.Doc
			}
			all = append(all, value)
		}
	}
	return all
}

// meaning turns "EventHealthy says that ..." and "ReasonPaused: it is." into sentences without the name.
func meaning(name, comment string) string {
	text, _ := strings.CutPrefix(strings.Join(strings.Fields(comment), " "), name)
	text = strings.TrimSpace(strings.TrimPrefix(text, ":"))
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
