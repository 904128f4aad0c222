// Package sickbay_test tests properties of the repository as a whole.
package sickbay_test

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packagesBelow returns the directories of packages that users import. Packages named compat only compare.
func packagesBelow(t *testing.T, root string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if name := filepath.Base(dir); name == "internal" || name == "testdata" || name == "compat" {
			return filepath.SkipDir
		}
		if pkg, err := build.ImportDir(dir, 0); err == nil && len(pkg.GoFiles) > 0 && pkg.Name != "main" {
			dirs = append(dirs, filepath.ToSlash(dir))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestPackagesAreDocumented fails for a package without a doc comment: a reader who opens a directory
// should learn its idea before its code.
func TestPackagesAreDocumented(t *testing.T) {
	err := filepath.WalkDir(".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if skipDir(dir) {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(dir, 0)
		if noGo := (*build.NoGoError)(nil); errors.As(err, &noGo) {
			return nil
		}
		if err != nil {
			return err
		}
		if pkg.Doc == "" && len(pkg.GoFiles) > 0 {
			t.Errorf("package %s in %s has no doc comment", pkg.Name, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// filesAtMost is how many files a package may have, without tests: with more, a reader loses the way in it.
const filesAtMost = 25

func TestPackagesAreSmall(t *testing.T) {
	count := map[string]int{}
	for _, file := range files(t, ".go", ".") {
		if !strings.HasSuffix(file, "_test.go") && !strings.HasPrefix(filepath.Base(file), "zz_generated") {
			count[filepath.Dir(file)]++
		}
	}
	for dir, n := range count {
		if n > filesAtMost {
			t.Errorf("%s has %d files without tests, more than %d", dir, n, filesAtMost)
		}
	}
	if len(count) < 100 {
		t.Errorf("only %d packages were found", len(count))
	}
}

// skipDir reports whether a directory holds no package that users import or run.
func skipDir(dir string) bool {
	name := filepath.Base(dir)
	if dir == "." {
		return false
	}
	if name == "bin" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && !strings.HasPrefix(filepath.ToSlash(dir), "healthcheck")
}
