package cel_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestWeight: users who do not import this package do not get the CEL library.
func TestWeight(t *testing.T) {
	for pkg, want := range map[string]bool{"../..": false, "..": false, ".": true} {
		deps, err := exec.CommandContext(t.Context(), "go", "list", "-deps", pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(deps), "github.com/google/cel-go/"); got != want {
			t.Errorf("%s imports cel-go: %t, want %t", pkg, got, want)
		}
	}
}
