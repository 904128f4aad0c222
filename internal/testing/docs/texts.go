package docs

import (
	"iter"
	"os"
	"path/filepath"
	"testing"
)

// Text returns the text of a file.
func Text(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Texts returns the paths and the texts of the files that match patterns, in order. Each pattern must match one.
func Texts(t testing.TB, patterns ...string) iter.Seq2[string, string] {
	t.Helper()
	return func(yield func(path, text string) bool) {
		for _, pattern := range patterns {
			paths, err := filepath.Glob(pattern)
			if err != nil || len(paths) == 0 {
				t.Fatalf("no file matches %s: %v", pattern, err)
			}
			for _, path := range paths {
				if !yield(path, Text(t, path)) {
					return
				}
			}
		}
	}
}
