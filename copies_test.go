package sickbay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestCopies . -update

// copies are files below internal that the library also needs. The library is a separate module, which must not depend on this one.
var copies = []string{
	"ownwrites/jsonpatch.go",
	"ownwrites/text.go",
	"ownwrites/wrote.go",
	"controllerstate/lastwrite.go",
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

// TestCopies: the library's copies equal their originals.
func TestCopies(t *testing.T) {
	for _, file := range copies {
		from := filepath.Join("internal", file)
		docs.File(t, filepath.Join("healthcheck", from), copyOf(t, from))
	}
	// The module clusterapi uses only exported names, so that users can choose its version and the library's separately: see
	// docs/decisions/0028.
	qualified := strings.NewReplacer("package checks\n", "package clusterapi\n", "\t\"github.com/sickbay-dev/sickbay/healthcheck\"\n",
		"\t\"github.com/sickbay-dev/sickbay/healthcheck\"\n\t\"github.com/sickbay-dev/sickbay/healthcheck/checks\"\n",
		"ReasonHealthy", "checks.ReasonHealthy", "ReasonNotObserved", "checks.ReasonNotObserved", "ObservedWithin", "checks.ObservedWithin",
		"ReasonRollingOut", "checks.ReasonRollingOut", "RolloutWithin", "checks.RolloutWithin")
	docs.File(t, "healthcheck/checks/clusterapi/verdict.go", qualified.Replace(copyOf(t, "healthcheck/checks/verdict.go")))
	plain := strings.NewReplacer("package checks\n", "package clusterapi\n")
	docs.File(t, "healthcheck/checks/clusterapi/condition.go", plain.Replace(copyOf(t, "healthcheck/checks/condition.go")))
	// Test helpers stay in test files: they import code whose license is not one for users.
	for _, helper := range []string{"filled_test.go", "rows_test.go"} {
		code := copyOf(t, "healthcheck/checks/"+helper)
		docs.File(t, "healthcheck/checks/clusterapi/"+helper, strings.Replace(code, "package checks_test\n", "package clusterapi_test\n", 1))
	}
}

func copyOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return "// Code generated from " + file + " by make generate. DO NOT EDIT.\n\n" + string(text)
}
