package sickbay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// controllers are the packages that observe, decide and act.
var controllers = []string{
	"internal/machinehealth", "internal/repair/machinehealthcheck", "internal/repair/remediation", "internal/reboot", "internal/upgradepause", "internal/intake",
}

// small are files that are a whole controller, or a loop.
var small = []string{"internal/repair/remediation/plancheck.go", "internal/reboot/sweep.go"}

// The methods of clients, and the functions of ownwrites, whose first argument is a context.
var (
	reads  = []string{"Get", "List", "GetLive"}
	writes = []string{"Apply", "ApplyCondition", "ApplyStatus", "Create", "Delete", "DeleteAllOf", "Patch", "Update"}
)

// TestReadsAndWritesHaveTheirFiles: files named observe*.go read, and files named act*.go write. The latter may also read just before they act;
// watches and metrics read caches, one watch asks the API server whether it may list a kind, and controller.go reads the object for which it
// is called.
func TestReadsAndWritesHaveTheirFiles(t *testing.T) {
	mayRead := []string{"observe", "act", "watch", "controller", "metrics"}
	for _, dir := range controllers {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has %d files: %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || slices.Contains(small, file) {
				continue
			}
			name := filepath.Base(file)
			if !strings.HasPrefix(name, "act") {
				for _, call := range callsWithContext(t, file, nil, writes) {
					t.Errorf("%s writes: %s", file, call)
				}
			}
			if !slices.ContainsFunc(mayRead, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
				for _, call := range callsWithContext(t, file, nil, reads) {
					t.Errorf("%s reads: %s", file, call)
				}
			}
		}
	}
}

// TestCallsWithContext proves that the test above can fail.
func TestCallsWithContext(t *testing.T) {
	source := "package p\n\nfunc f() {\n\t_ = c.Status().Update(ctx, obj)\n\t_ = c.Delete(key)\n\t_ = c.Patch(t.ctx, obj)\n\t_ = c.Update(ctx, obj)\n}\n"
	if got, want := callsWithContext(t, "p.go", source, []string{"Update", "Delete"}), []string{"Update", "Update"}; !slices.Equal(got, want) {
		t.Errorf("calls are %q, want %q", got, want)
	}
}

// callsWithContext returns which of the methods a file calls with ctx. If source is nil, it reads the file.
func callsWithContext(t *testing.T, file string, source any, names []string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		method, isMethod := call.Fun.(*ast.SelectorExpr)
		first, isName := call.Args[0].(*ast.Ident)
		if isMethod && isName && first.Name == "ctx" && slices.Contains(names, method.Sel.Name) {
			calls = append(calls, method.Sel.Name)
		}
		return true
	})
	return calls
}
