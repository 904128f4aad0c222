package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden asserts that the file of that name in testdata has this text.
func Golden(t testing.TB, name, text string) {
	t.Helper()
	File(t, filepath.Join("testdata", name+".golden"), text)
}

// File asserts that a whole file has this text. With the flag -update, the test writes it there instead.
func File(t testing.TB, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatalf("making the directory of %s: %v", path, err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatalf("writing %s: %v", path, err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("reading %s; go test -update writes it: %v", path, err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s is not what it should be; go test -update mends it (-file +expected):\n%s", path, diff)
	}
}
