package sickbay_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestLibraryNames . -update

// libraryPackages are the packages that users import.
var libraryPackages = []string{
	"healthcheck", "healthcheck/checks", "healthcheck/checks/cel", "healthcheck/checks/kstatus", "healthcheck/checks/clusterapi",
	"healthcheck/report", "healthcheck/targets", "healthcheck/healthchecktest", "healthcheck/gardener", "healthcheck/gardener/general", "healthcheck/gardener/worker",
}

// TestLibraryNames: the page lists each name that the library exports, and what it is for. Methods are left out: go doc shows them with their type.
func TestLibraryNames(t *testing.T) {
	for _, dir := range libraryPackages {
		rows, last := [][]string{{"name", "what it is for"}}, ""
		for _, name := range docs.Names(t, dir) {
			if strings.Contains(name.Name, ".") {
				continue
			}
			if name.Meaning == last { // one comment may describe several names
				rows[len(rows)-1][0] += ", " + docs.Code(name.Name)
				continue
			}
			last = name.Meaning
			rows = append(rows, []string{docs.Code(name.Name), withoutNames(name.Meaning)})
		}
		docs.Section(t, "docs/reference/library.md", dir, docs.Table(rows...))
	}
}

// introduction matches the names at the beginning of a doc comment, and words that say no more than the table does.
var introduction = regexp.MustCompile(`^\w+(?:(?:, \w+)* and \w+)? (?:(?:means? that|is|are) )?`)

// detail matches what a sentence of six words or more adds after a colon.
var detail = regexp.MustCompile(`^((?:[^ :]+ ){5,}[^ :]+): .*$`)

// withoutNames is the first sentence of a doc comment without the names that it begins with, and without detail.
func withoutNames(sentence string) string {
	rest := detail.ReplaceAllString(introduction.ReplaceAllString(sentence, ""), "$1.")
	return strings.ToUpper(rest[:1]) + rest[1:]
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
