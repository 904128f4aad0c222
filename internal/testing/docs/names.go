package docs

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Name is an exported name of a package, with the first sentence of its doc comment.
type Name struct {
	Name, Meaning string
}

// Names returns the exported constants, variables, functions, types and methods of the package in a directory, each type with its members. It
// leaves out methods that only implement an interface. The test fails for a name without a comment.
func Names(t testing.TB, dir string) []Name {
	t.Helper()
	pkg := parsePackage(t, dir)
	n := &names{pkg: pkg}
	n.values(pkg.Consts)
	n.values(pkg.Vars)
	n.funcs("", pkg.Funcs)
	for _, typ := range pkg.Types {
		n.add(typ.Name, typ.Doc)
		n.values(typ.Consts)
		n.values(typ.Vars)
		n.funcs("", typ.Funcs)
		n.funcs(typ.Name+".", typ.Methods)
	}
	for _, name := range n.found {
		if name.Meaning == "" {
			t.Errorf("%s in %s has no comment that says what it is for", name.Name, dir)
		}
	}
	return n.found
}

func parsePackage(t testing.TB, dir string) *doc.Package {
	t.Helper()
	listed, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatalf("listing the files of %s: %v", dir, err)
	}
	fset, files := token.NewFileSet(), []*ast.File{}
	for _, file := range listed.GoFiles {
		parsed, err := parser.ParseFile(fset, filepath.Join(dir, file), nil, parser.ParseComments)
		if err != nil {
			t.Fatalf("reading what %s exports: %v", dir, err)
		}
		files = append(files, parsed)
	}
	pkg, err := doc.NewFromFiles(fset, files, dir)
	if err != nil {
		t.Fatalf("reading what %s exports: %v", dir, err)
	}
	return pkg
}

type names struct {
	pkg   *doc.Package
	found []Name
}

func (n *names) add(name, text string) {
	n.found = append(n.found, Name{name, n.pkg.Synopsis(text)})
}

// values adds the names of groups. A name without a comment gets the comment of the name before it, since one comment may describe several names.
func (n *names) values(groups []*doc.Value) {
	for _, group := range groups {
		text := group.Doc
		for _, spec := range group.Decl.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			if own := value.Doc.Text(); own != "" {
				text = own
			}
			for _, name := range value.Names {
				if name.IsExported() {
					n.add(name.Name, text)
				}
			}
		}
	}
}

var implements = regexp.MustCompile(`^\w+ implements `)

func (n *names) funcs(of string, funcs []*doc.Func) {
	for _, f := range funcs {
		if of == "" || !implements.MatchString(f.Doc) {
			n.add(strings.TrimSpace(of+f.Name), f.Doc)
		}
	}
}
