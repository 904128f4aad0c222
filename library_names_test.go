package sickbay_test

import (
	"fmt"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestLibraryNames . -update

// libraryPackages are the packages that users import.
var libraryPackages = []string{
	"healthcheck", "healthcheck/checks", "healthcheck/checks/cel", "healthcheck/checks/kstatus", "healthcheck/checks/clusterapi",
	"healthcheck/report", "healthcheck/targets", "healthcheck/healthchecktest", "healthcheck/gardener", "healthcheck/gardener/general", "healthcheck/gardener/worker",
}

// TestLibraryNames: the page lists each name that the library exports, and what it is for.
func TestLibraryNames(t *testing.T) {
	const page = "docs/reference/library.md"
	counted := [][]string{{"package", "names"}}
	for _, dir := range libraryPackages {
		rows := [][]string{{"name", "what it is for"}}
		for _, name := range docs.Names(t, dir) {
			rows = append(rows, []string{docs.Code(name.Name), name.Meaning})
		}
		counted = append(counted, []string{docs.Code(dir), fmt.Sprint(len(rows) - 1)})
		docs.Section(t, page, dir, docs.Table(rows...))
	}
	docs.Section(t, page, "library packages", docs.Table(counted...))
}

// TestLibraryPackages: the list has every package that users can import.
func TestLibraryPackages(t *testing.T) {
	listed := map[string]bool{}
	for _, dir := range libraryPackages {
		listed[dir] = true
	}
	for _, dir := range packagesBelow(t, "healthcheck") {
		if !listed[dir] {
			t.Errorf("docs/reference/library.md leaves out %s", dir)
		}
	}
}
