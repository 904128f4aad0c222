package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

func TestTable(t *testing.T) {
	got := docs.Table([]string{"a", "b"}, []string{"x|y", "two\nlines"}, []string{"", docs.Code("z")})
	want := "| a | b |\n|---|---|\n| x\\|y | two lines |\n|  | `z` |\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	page := "Before\n<!-- table: other -->\nx\n<!-- end -->\n<!-- table: this -->\ny\n<!-- end -->\nAfter\n"
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	docs.Section(t, file, "other", "x\n")
	docs.Section(t, file, "this", "y\n")
	if data, err := os.ReadFile(file); err != nil || string(data) != page {
		t.Errorf("the page is now %q, %v", data, err)
	}
}
