package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// standard is the name for the standard library.
const standard = "the Go standard library and runtime"

// own is the prefix of this repository's modules.
const own = "github.com/sickbay-dev/sickbay"

// module is a module of somebody else.
type module struct {
	path, dir string
	// files are the license files of the module and of the packages used, by their paths in the module.
	files map[string][]byte
}

// about matches the names of such files.
var about = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// list runs go list in a module, for one system or for the current one, and returns the lines.
func list(dir, system string, args ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if system != "" {
		cmd.Env = append(cmd.Env, "GOOS="+system, "GOARCH=amd64")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the dependencies of %s: %w: %s", dir, err, &stderr)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), nil
}

// given returns the packages of a module that users get. Packages under internal/testing count only if another package imports them.
func given(dir string) ([]string, error) {
	packages, err := list(dir, "", "./...")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(packages, func(path string) bool { return strings.Contains(path, "/internal/testing/") }), nil
}

// modules returns the modules from which packages are built on the given systems.
func modules(dir string, packages []string, systems ...string) ([]*module, error) {
	all := map[string]*module{}
	for _, system := range systems {
		const format = `{{if .Standard}}std{{else}}{{with .Module}}{{.Path}}	{{.Dir}}{{end}}{{end}}	{{.Dir}}`
		lines, err := list(dir, system, append([]string{"-deps", "-f", format}, packages...)...)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			fields := strings.Split(line, "\t")
			if len(fields) < 3 || fields[0] == own || strings.HasPrefix(fields[0], own+"/") {
				continue
			}
			if err := add(all, fields[0], fields[1], fields[2]); err != nil {
				return nil, err
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("finding Go: %w", err)
	}
	goroot := strings.TrimSpace(string(root))
	if err := add(all, standard, goroot, goroot); err != nil {
		return nil, err
	}
	sorted := make([]*module, 0, len(all))
	for _, m := range all {
		sorted = append(sorted, m)
	}
	slices.SortFunc(sorted, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return sorted, nil
}

// add reads the license files beside a package, and in the directories above it up to the root of its module.
func add(all map[string]*module, path, root, dir string) error {
	m, known := all[path]
	if !known {
		m = &module{path: path, dir: root, files: map[string][]byte{}}
		all[path] = m
	}
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		for _, entry := range entries {
			if !about.MatchString(entry.Name()) || entry.IsDir() || strings.HasSuffix(entry.Name(), ".go") {
				continue
			}
			file := filepath.Join(dir, entry.Name())
			text, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("reading %s: %w", path, err)
			}
			name, _ := filepath.Rel(root, file)
			m.files[filepath.ToSlash(name)] = text
		}
	}
	return nil
}

// enough is how much of a file must be license text, in percent. The rest is names.
const enough = 75

// licenses returns the licenses of a module as SPDX identifiers. A file that is not recognized counts as an unknown license.
func (m *module) licenses() []string {
	var ids []string
	for name, text := range m.files {
		ids = append(ids, licensesIn(name, text)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// licensesIn returns the licenses in a file.
func licensesIn(name string, text []byte) (ids []string) {
	if isNotice(name) {
		return nil
	}
	coverage := licensecheck.Scan(text)
	if coverage.Percent < enough {
		return []string{fmt.Sprintf("(unknown: %s)", name)}
	}
	for _, match := range coverage.Match {
		ids = append(ids, match.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// isNotice reports whether a file must be passed on but is not a license: a notice, or a patent grant beside a license.
func isNotice(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	return strings.HasPrefix(base, "notice") || strings.HasPrefix(base, "patents")
}
