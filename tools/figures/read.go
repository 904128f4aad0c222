package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// project is the prefix of the project's own import paths.
const project = "github.com/sickbay-dev/sickbay/"

// file has the figures of one Go file.
type file struct {
	dir  string
	test bool
	// lines counts all lines, comments those with nothing but a comment.
	lines, comments int
	functions       []int
	// exported counts the names that other packages see, documented those that have a comment, and concepts the types.
	exported, documented, concepts int
	imports                        []string
}

// read reads all Go files below root except generated ones.
func read(root string) ([]file, error) {
	var files []file
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && skipped(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		f, generated, err := readFile(root, path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if !generated {
			files = append(files, f)
		}
		return nil
	})
	return files, err
}

// skipped reports whether a directory has no code of the project.
func skipped(name string) bool {
	return slices.Contains([]string{"testdata", "bin", "dist"}, name) || strings.HasPrefix(name, ".")
}

func readFile(root, path string) (f file, generated bool, err error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return file{}, false, err
	}
	dir, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return file{}, false, err
	}
	return measure(set, parsed, filepath.ToSlash(dir), strings.HasSuffix(path, "_test.go")), ast.IsGenerated(parsed), nil
}

func measure(set *token.FileSet, parsed *ast.File, dir string, test bool) file {
	f := file{dir: dir, test: test, lines: set.File(parsed.Pos()).LineCount()}
	for _, group := range parsed.Comments {
		f.comments += span(set, group)
	}
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if rest, own := strings.CutPrefix(path, project); err == nil && own {
			f.imports = append(f.imports, rest)
		}
	}
	for _, decl := range parsed.Decls {
		f.add(set, decl)
	}
	return f
}

func (f *file) add(set *token.FileSet, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		f.functions = append(f.functions, span(set, d))
		if d.Name.IsExported() && (d.Recv == nil || ofExported(d.Recv)) {
			f.export(d.Doc != nil)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			f.addSpec(spec, d.Doc != nil)
		}
	}
}

func (f *file) addSpec(spec ast.Spec, documented bool) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			f.concepts++
			f.export(documented || s.Doc != nil)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				f.export(documented || s.Doc != nil || s.Comment != nil)
			}
		}
	}
}

func (f *file) export(documented bool) {
	f.exported++
	if documented {
		f.documented++
	}
}

// ofExported reports whether a method belongs to an exported type.
func ofExported(recv *ast.FieldList) bool {
	exported := false
	ast.Inspect(recv.List[0].Type, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && !exported {
			exported = name.IsExported()
			return false
		}
		return true
	})
	return exported
}

func span(set *token.FileSet, n ast.Node) int {
	return set.Position(n.End()).Line - set.Position(n.Pos()).Line + 1
}

// room returns the room of a package: the second part of its path below internal, sim and tools, and the first part elsewhere.
func room(dir string) string {
	parts := strings.SplitN(dir, "/", 3)
	if len(parts) > 1 && (parts[0] == "internal" || parts[0] == "sim" || parts[0] == "tools") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
