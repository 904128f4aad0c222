package manifest

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// File is a file that was read.
type File struct {
	// Name is the name that the person used.
	Name string
	Data []byte
}

// Stdin is the name for standard input.
const Stdin = "-"

// extensions are the extensions of the files to read in a directory.
var extensions = []string{".yaml", ".yml", ".json"}

// Read reads files, directories and, for the name "-", standard input. In a directory it reads the files that end in .yaml,
// .yml or .json, including subdirectories if recursive.
func Read(names []string, recursive bool, stdin io.Reader) ([]File, error) {
	var files []File
	for _, name := range names {
		if name == Stdin {
			data, err := io.ReadAll(stdin)
			if err != nil {
				return nil, fmt.Errorf("reading the standard input: %w", err)
			}
			files = append(files, File{"<stdin>", data})
			continue
		}
		found, err := find(name, recursive)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			data, err := os.ReadFile(one)
			if err != nil {
				return nil, err
			}
			files = append(files, File{one, data})
		}
	}
	return files, nil
}

// find returns the files for a name, in order.
func find(name string, recursive bool) (found []string, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != name && !recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(extensions, filepath.Ext(path)):
			found = append(found, path)
		}
		return nil
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no file that ends in .yaml, .yml or .json", name)
	}
	return found, err
}
