package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

func TestNames(t *testing.T) {
	dir := t.TempDir()
	for file, source := range map[string]string{
		"a.go": `// Package a is an example.
package a

// Grade says how good something is. It is a word.
type Grade string

// All grades.
const (
	// Good and Better are fine.
	Good   Grade = "good"
	Better Grade = "better"
	hidden Grade = "hidden"
)

// Limit is how many there may be.
const Limit = 5

// String implements fmt.Stringer.
func (g Grade) String() string { return string(g) }

// Fine reports whether it is [Good]. There is more.
func (g Grade) Fine() bool { return g == Good }

// GradeOf finds it.
func GradeOf(string) Grade { return hidden }

// Do does it.
func Do() {}
`,
		"a_test.go": "package a\n\n// InTests is left out.\nconst InTests = 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := []docs.Name{
		{"Limit", "Limit is how many there may be."}, {"Do", "Do does it."}, {"Grade", "Grade says how good something is."},
		{"Good", "Good and Better are fine."}, {"Better", "Good and Better are fine."}, {"GradeOf", "GradeOf finds it."}, {"Grade.Fine", "Fine reports whether it is Good."},
	}
	if diff := cmp.Diff(want, docs.Names(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
