package sickbay_test

import (
	"os"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^Test(Library|Gardener|Compared)Page$ . -update

// TestLibraryPage shows code that is compiled, validated and run by other tests.
func TestLibraryPage(t *testing.T) {
	const (
		kind    = "examples/database/api/v1/types.go"
		health  = "examples/database/health/health.go"
		manager = "examples/database/health/manager.go"
		tests   = "examples/database/health/health_test.go"
	)
	for section, code := range map[string]string{
		"library type":         docs.Declarations(t, kind, "DatabaseStatus", "Database.GetConditions"),
		"library check":        docs.Declarations(t, health, "upgraded"),
		"library registration": docs.Declarations(t, health, "Checks"),
		"library find":         docs.Declarations(t, health, "certificate", "backup"),
		"library result":       docs.Output(t, "examples/database/health/example_test.go", "Example"),
		"library rights":       docs.Lines(t, health, "// +kubebuilder:rbac"),
		"library manager":      docs.Declarations(t, manager, "Options", "SetupWithManager"),
		"library program":      docs.Declarations(t, "examples/database/main.go", "run"),
		"library kit":          docs.Declarations(t, tests, "TestUpgradeTakesTooLong"),
		"library precheck":     docs.Declarations(t, health, "untouched"),
		"library target":       docs.Declarations(t, "examples/library/target.go", "DNS"),
		"library endpoint":     docs.Body(t, "healthcheck/checks/example_endpoint_test.go", "ExampleHTTP", "server :="),
		"library cel":          docs.Body(t, "healthcheck/checks/cel/example_test.go", "Example", "database :="),
	} {
		docs.Section(t, "docs/library.md", section, code)
	}
}

// TestComparedPage shows what rules say about recorded roll-outs, as a test of package checks computes it.
func TestComparedPage(t *testing.T) {
	table, err := os.ReadFile("healthcheck/checks/testdata/rollouts.md")
	if err != nil {
		t.Fatal(err)
	}
	docs.Section(t, "docs/library-compared.md", "rollouts", string(table))
}

// TestGardenerPage shows code that the gardener module compiles, registers and runs.
func TestGardenerPage(t *testing.T) {
	const guide = "healthcheck/gardener/guide_test.go"
	for section, code := range map[string]string{
		"gardener registration": docs.Declarations(t, guide, "addWorkers"),
		"gardener options":      docs.Declarations(t, guide, "atOnce", "workersBeside"),
		"gardener heartbeat":    docs.Declarations(t, guide, "addAll"),
		"gardener seed":         docs.Declarations(t, "healthcheck/gardener/registration_test.go", "addFirstExample"),
		"gardener check":        docs.Declarations(t, guide, "volumes", "volumes.InjectSourceClient", "volumes.SetLoggerSuffix", "volumes.DeepCopy", "volumes.Check"),
		"gardener buckets":      docs.Declarations(t, guide, "buckets"),
	} {
		docs.Section(t, "docs/library-gardener.md", section, code)
	}
}
