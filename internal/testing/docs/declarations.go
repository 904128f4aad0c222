package docs

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// Declarations returns types, functions and methods of a Go file as one block of Markdown, with their doc comments and in the
// given order: "Shop", "New", "Shop.Open".
func Declarations(t testing.TB, file string, names ...string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading code: %v", err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ParseComments)
	if err != nil {
		t.Fatalf("reading code: %v", err)
	}
	found := make([]string, len(names))
	for _, decl := range parsed.Decls {
		name, doc := described(decl)
		i := slices.Index(names, name)
		if i < 0 {
			continue
		}
		from := decl.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		found[i] = string(source[from-1 : decl.End()-1])
	}
	if i := slices.Index(found, ""); i >= 0 {
		t.Fatalf("%s does not declare %s", file, names[i])
	}
	return block(strings.Join(found, "\n\n"))
}

// described returns the name of a declaration, and its doc comment.
func described(decl ast.Decl) (string, *ast.CommentGroup) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name, d.Doc
		}
		receiver := d.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if named, ok := receiver.(*ast.Ident); ok {
			return named.Name + "." + d.Name.Name, d.Doc
		}
	case *ast.GenDecl:
		if len(d.Specs) == 1 {
			if named, ok := d.Specs[0].(*ast.TypeSpec); ok {
				return named.Name.Name, d.Doc
			}
		}
	}
	return "", nil
}

// Output returns the output of an example, from the comment at its end, as a block of Markdown.
func Output(t testing.TB, file, name string) string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatalf("reading code: %v", err)
	}
	for _, example := range doc.Examples(parsed) {
		if "Example"+example.Name == name && example.Output != "" {
			return "```\n" + example.Output + "```\n"
		}
	}
	t.Fatalf("%s has no example %s that prints something", file, name)
	return ""
}

// Lines returns the lines of a file that begin with a text, as a block of Markdown.
func Lines(t testing.TB, file, prefix string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading code: %v", err)
	}
	var found strings.Builder
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, prefix) {
			found.WriteString(line)
		}
	}
	return block(found.String())
}
