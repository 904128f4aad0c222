package sickbay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// controllers are the packages that observe, decide and act.
var controllers = []string{
	"internal/machinehealth", "internal/repair/machinehealthcheck", "internal/repair/remediation",
	"internal/reboot", "internal/upgradepause", "internal/intake", "internal/repair/machinehealthcheck/adoption",
}

// The methods of clients, and the functions of ownwrites, whose first argument is a context.
var (
	reads  = []string{"Get", "List", "GetLive"}
	writes = []string{"Apply", "ApplyCondition", "ApplyStatus", "Create", "Delete", "DeleteAllOf", "Patch", "Update"}
)

// canWrite are the types of fields and parameters that can write.
var canWrite = []string{"client.Client", "client.Writer", "client.StatusClient", "client.StatusWriter", "client.SubResourceWriter"}

// TestReadsAndWritesHaveTheirTypes: what reads hangs on a type without a writer, or is handed a client.Reader, so the compiler keeps it
// from writing. What writes has a type of its own; it may read just before it writes. The Reconciler does neither: it asks the one and
// then the other.
func TestReadsAndWritesHaveTheirTypes(t *testing.T) {
	for _, dir := range controllers {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has %d files: %v", dir, len(files), err)
		}
		r := room{fields: map[string][]string{}}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				r.read(t, file, nil)
			}
		}
		for _, fault := range r.faults() {
			t.Errorf("%s: %s", dir, fault)
		}
	}
}

// TestRoom proves that the test above can fail.
func TestRoom(t *testing.T) {
	source := `package p
type Reconciler struct { Client client.Client }
func (r *Reconciler) Reconcile() { r.Client.Get(ctx, key) }
type reader struct { w *writer }
func (r reader) list() { r.c.List(ctx, list) }
type writer struct { client.Client }
func (w *writer) write() { w.Get(ctx, key); w.Status().Update(ctx, obj) }
func free(ctx context.Context, c client.Client) { c.Get(ctx, key) }
func freely(ctx context.Context, c client.Reader) { c.Get(ctx, key); c.Delete(key) }
`
	r := room{fields: map[string][]string{}}
	r.read(t, "p.go", source)
	want := []string{
		"Reconcile of the Reconciler reads or writes",
		"free reads, and can write",
		"list reads, and can write",
	}
	if got := r.faults(); !slices.Equal(got, want) {
		t.Errorf("faults are %q, want %q", got, want)
	}
}

// A room is what a package's functions call, and what its types hold.
type room struct {
	functions []function
	// fields are the types of the fields of each type.
	fields map[string][]string
}

// A function is one of a package, and whether it reads and writes.
type function struct {
	name, receiver string
	parameters     []string
	reads, writes  bool
}

// read adds a file. If source is nil, it reads the file.
func (r *room) read(t *testing.T, file string, source any) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if fields, ok := n.Type.(*ast.StructType); ok {
				r.fields[n.Name.Name] = typesOf(fields.Fields)
			}
		case *ast.FuncDecl:
			f := function{name: n.Name.Name, parameters: typesOf(n.Type.Params)}
			if n.Recv != nil {
				f.receiver = typesOf(n.Recv)[0]
			}
			if n.Body != nil {
				f.reads, f.writes = calls(n.Body, reads), calls(n.Body, writes)
			}
			r.functions = append(r.functions, f)
		}
		return true
	})
}

// faults returns what is not as it should be, sorted.
func (r *room) faults() []string {
	var faults []string
	for _, f := range r.functions {
		switch {
		case f.receiver == "Reconciler" && (f.reads || f.writes):
			faults = append(faults, f.name+" of the Reconciler reads or writes")
		case f.reads && !r.hasWriters(f) && r.writes(slices.Concat([]string{f.receiver}, f.parameters), nil):
			faults = append(faults, f.name+" reads, and can write")
		}
	}
	slices.Sort(faults)
	return faults
}

// hasWriters reports whether the type of a method is one that writes: then its other methods may read before it does.
func (r *room) hasWriters(f function) bool {
	return f.writes || f.receiver != "" && slices.ContainsFunc(r.functions, func(other function) bool {
		return other.receiver == f.receiver && other.writes
	})
}

// writes reports whether one of the types can write, by itself or by what it holds.
func (r *room) writes(names []string, seen map[string]bool) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		if slices.Contains(canWrite, name) {
			return true
		}
		if seen[name] {
			return false
		}
		deeper := maps.Clone(seen)
		if deeper == nil {
			deeper = map[string]bool{}
		}
		deeper[name] = true
		return r.writes(r.fields[name], deeper)
	})
}

// typesOf returns the types of fields, without pointers.
func typesOf(fields *ast.FieldList) []string {
	var names []string
	for _, field := range fields.List {
		names = append(names, strings.TrimPrefix(types.ExprString(field.Type), "*"))
	}
	return names
}

// calls reports whether a body calls one of the methods with ctx.
func calls(body ast.Node, names []string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		method, isMethod := call.Fun.(*ast.SelectorExpr)
		first, isName := call.Args[0].(*ast.Ident)
		found = found || isMethod && isName && first.Name == "ctx" && slices.Contains(names, method.Sel.Name)
		return true
	})
	return found
}
