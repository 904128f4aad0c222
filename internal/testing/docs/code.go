package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// Function returns a function of a Go file as a block of Markdown, as written, without its doc comment.
func Function(t testing.TB, file, name string) string {
	t.Helper()
	source, fn := function(t, file, name)
	return block(source[fn.Pos()-1 : fn.End()-1])
}

// Body does the same for the body of the function, up to a line that contains end; without end, it returns the whole
// body.
func Body(t testing.TB, file, name, end string) string {
	t.Helper()
	source, fn := function(t, file, name)
	body := strings.Trim(source[fn.Body.Lbrace:fn.Body.Rbrace-1], "\n")
	var lines []string
	for line := range strings.Lines(body) {
		if end != "" && strings.Contains(line, end) {
			return block(strings.Join(lines, ""))
		}
		lines = append(lines, strings.TrimPrefix(line, "\t"))
	}
	if end != "" {
		t.Fatalf("function %s of %s has no line with %q", name, file, end)
	}
	return block(strings.Join(lines, ""))
}

func block(code string) string { return "```go\n" + strings.Trim(code, "\n") + "\n```\n" }

// function returns the text of a file, and one of its functions; positions count from 1.
func function(t testing.TB, file, name string) (string, *ast.FuncDecl) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading code: %v", err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatalf("reading code: %v", err)
	}
	for _, decl := range parsed.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == name {
			return string(source), fn
		}
	}
	t.Fatalf("%s has no function %s", file, name)
	return "", nil
}
