package sickbay_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestLibraryPage . -update

// TestLibraryPage shows code that is compiled and run by other tests.
func TestLibraryPage(t *testing.T) {
	const (
		library    = "examples/library/library.go"
		dependants = "healthcheck/checks/example_test.go"
		cel        = "healthcheck/checks/cel/example_test.go"
		target     = "examples/library/target.go"
	)
	for section, code := range map[string]string{
		"library check":        docs.Function(t, library, "provisioned"),
		"library registration": docs.Function(t, library, "AddToManager"),
		"library program":      docs.Body(t, "examples/library/example_test.go", "ExampleAddToManager", ""),
		"library dependant":    docs.Body(t, dependants, "Example", "// The engine would do this."),
		"library endpoint":     docs.Body(t, "healthcheck/checks/example_endpoint_test.go", "ExampleHTTP", "server :="),
		"library kit":          docs.Function(t, "healthcheck/healthchecktest/example_test.go", "TestUpgrade"),
		"library target":       docs.Function(t, target, "DNS"),
		"library cel":          docs.Body(t, cel, "Example", "database :="),
	} {
		docs.Section(t, "docs/library.md", section, code)
	}
}
