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

func TestConstants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.go")
	source := "package c\n\nconst (\n\t// OneThing: the first.\n\tOneThing = 1\n\t// OneMore says\n\t// more.\n\tOneMore = 2\n\t// Other is left out.\n\tOther = 3\n)\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []docs.Constant{{Name: "OneThing", Value: "1", Meaning: "The first."}, {Name: "OneMore", Value: "2", Meaning: "Says more."}}
	if diff := cmp.Diff(want, docs.Constants(t, file, "One", map[string]string{"OneThing": "1", "OneMore": "2"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
