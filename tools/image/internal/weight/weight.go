// Package weight says what makes a Go binary as large as it is. It also works on a stripped one, as Go's own tables of functions stay.
package weight

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Part is what the functions of one module, or of the standard library, weigh in bytes.
type Part struct {
	Module string
	Code   uint64
}

// standard is the name for what has no module, and generated for what the compiler adds.
const (
	standard  = "Go's standard library"
	generated = "made by the compiler"
)

// Of lists the modules of an ELF binary by the weight of their functions, the heaviest first.
func Of(file string) ([]Part, error) {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	modules := []string{info.Main.Path}
	for _, dep := range info.Deps {
		modules = append(modules, dep.Path)
	}
	functions, err := functionsOf(file)
	if err != nil {
		return nil, fmt.Errorf("reading the functions of %s: %w", file, err)
	}
	weights := map[string]uint64{}
	for _, f := range functions {
		weights[moduleOf(f.PackageName(), modules)] += f.End - f.Entry
	}
	var parts []Part
	for name, weight := range weights {
		parts = append(parts, Part{name, weight})
	}
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Or(cmp.Compare(b.Code, a.Code), cmp.Compare(a.Module, b.Module)) })
	return parts, nil
}

func functionsOf(file string) ([]gosym.Func, error) {
	binary, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = binary.Close() }()
	text, lines := binary.Section(".text"), binary.Section(".gopclntab")
	if text == nil || lines == nil {
		return nil, fmt.Errorf("it is no Go binary")
	}
	data, err := lines.Data()
	if err != nil {
		return nil, err
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(data, text.Addr))
	if err != nil {
		return nil, err
	}
	return table.Funcs, nil
}

// moduleOf is the module with the longest path that the package is in.
func moduleOf(pkg string, modules []string) string {
	path, err := url.PathUnescape(pkg)
	if err != nil || path == "" {
		return generated
	}
	longest := ""
	for _, module := range modules {
		if (path == module || strings.HasPrefix(path, module+"/")) && len(module) > len(longest) {
			longest = module
		}
	}
	// A main package bears no path.
	if path == "main" {
		return modules[0]
	}
	return cmp.Or(longest, standard)
}
