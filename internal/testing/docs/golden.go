package docs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Golden asserts that the file of that name in testdata holds the text. With the flag -update the test writes it there instead.
func Golden(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
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
		t.Errorf("%s is not what was printed; go test -update mends it (-file +printed):\n%s", path, diff)
	}
}
