package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a file that was read.
type File struct {
	// Name is the name that the person used.
	Name string
	Data []byte
	// Err says why a file of a directory could not be read.
	Err error
}

// Stdin is the name for standard input.
const Stdin = "-"

// extensions are the extensions of the files to read in a directory.
var extensions = []string{".yaml", ".yml", ".json"}

// Read reads files, directories and, for the name "-", standard input. In a directory it reads the files that end in .yaml,
// .yml or .json, including subdirectories if recursive, and goes on past those that it cannot read. It leaves out what describes a chart.
func Read(names []string, recursive bool, stdin io.Reader) ([]File, error) {
	var files []File
	for _, name := range names {
		if name == Stdin {
			data, err := io.ReadAll(stdin)
			if err != nil {
				return nil, fmt.Errorf("reading the standard input: %w", err)
			}
			files = append(files, File{Name: "<stdin>", Data: data})
			continue
		}
		found, err := find(name, recursive)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// find reads the files for a name, in order.
func find(name string, recursive bool) (found []File, err error) {
	if name == "" {
		return nil, errors.New("a name of a file is empty")
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		one := read(name)
		return []File{one}, cmp.Or(err, one.Err)
	}
	found, err = walk(name, recursive)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no file that ends in .yaml, .yml or .json", name)
		if !recursive && HasDirectories(name) {
			err = fmt.Errorf("%s has no manifests of its own, but it has subdirectories: -R reads them", name)
		}
	}
	return found, err
}

// walk reads the files in a directory.
func walk(name string, recursive bool) (found []File, err error) {
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil && path == name:
			return err
		case err != nil:
			found = append(found, File{Name: path, Err: err})
		case entry.IsDir() && path != name && !recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(extensions, filepath.Ext(path)) && !ofChart(path):
			found = append(found, read(path))
		}
		return nil
	})
	return found, err
}

// ofChart reports whether a file describes a chart, and is no manifest.
func ofChart(path string) bool {
	if !slices.Contains([]string{"Chart.yaml", "values.yaml"}, filepath.Base(path)) {
		return false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(path), "Chart.yaml"))
	return err == nil
}

// HasDirectories reports whether a name is that of a directory with subdirectories that are not hidden.
func HasDirectories(name string) bool {
	entries, err := os.ReadDir(name)
	return err == nil && slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		return entry.IsDir() && !strings.HasPrefix(entry.Name(), ".")
	})
}

func read(name string) File {
	data, err := os.ReadFile(name)
	return File{Name: name, Data: data, Err: err}
}
