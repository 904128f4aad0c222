package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

const source = `package p

// f is a function.
func f(a int) int {
	b := a
	if b > 0 {
		return 1
	}

	// The rest.
	return b
}

func g() {}

// T is a type.
type T struct{}

// M is a method.
func (t *T) M() {}
`

func TestCode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ got, want string }{
		"a function":           {docs.Function(t, file, "g"), "```go\nfunc g() {}\n```\n"},
		"what is in it":        {docs.Body(t, file, "f", ""), "```go\nb := a\nif b > 0 {\n\treturn 1\n}\n\n// The rest.\nreturn b\n```\n"},
		"the beginning of it":  {docs.Body(t, file, "f", "// The rest."), "```go\nb := a\nif b > 0 {\n\treturn 1\n}\n```\n"},
		"nothing is in it":     {docs.Body(t, file, "g", ""), "```go\n\n```\n"},
		"of a function, first": {docs.Function(t, file, "f")[:24], "```go\nfunc f(a int) int "},
	}
	tests["a type and its method"] = struct{ got, want string }{
		docs.Declarations(t, file, "T.M", "T"), "```go\n// M is a method.\nfunc (t *T) M() {}\n\n// T is a type.\ntype T struct{}\n```\n",
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Errorf("code (-want +got):\n%s", diff)
			}
		})
	}
}
