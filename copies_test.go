package sickbay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestCopies . -update

// copies are files below internal that the library needs too. It is a module of its own, which does not depend on this one, and nobody imports
// what is below its own internal directory.
var copies = []string{
	"lag/lag.go",
	"managed/wrote.go",
	"testing/env/crds.go",
	"testing/env/env.go",
	"testing/env/guard.go",
	"testing/env/main.go",
	"testing/env/manager.go",
	"testing/env/options.go",
	"testing/env/paths.go",
	"testing/env/start.go",
	"testing/expect/allocs.go",
	"testing/live/lagging.go",
	"testing/sentence/sentence.go",
}

// TestCopies: the library's copies are what they were copied from.
func TestCopies(t *testing.T) {
	for _, file := range copies {
		from := filepath.Join("internal", file)
		docs.File(t, filepath.Join("healthcheck", from), copyOf(t, from))
	}
	// What only tests use stays in tests: its license is not one for users.
	draws := copyOf(t, "healthcheck/checks/filled_test.go")
	docs.File(t, "healthcheck/checks/clusterapi/filled_test.go", strings.Replace(draws, "package checks_test\n", "package clusterapi_test\n", 1))
}

func copyOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return "// Code generated from " + file + " by make generate. DO NOT EDIT.\n\n" + string(text)
}
