package release

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

// semantic matches a version as tags have it; its last group is the suffix of a prerelease.
var semantic = regexp.MustCompile(`^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)

// ownLink matches the beginning of a link to a file of the repository.
var ownLink = regexp.MustCompile(`\]\(([A-Za-z][A-Za-z0-9_./-]*(?:\)|#))`)

// checkVersion returns an error if a version is invalid.
func checkVersion(version string) error {
	if !semantic.MatchString(version) {
		return fmt.Errorf("%q is not a version: write VERSION=v1.2.3, or VERSION=v1.2.3-rc.1 for a prerelease", version)
	}
	return nil
}

// Notes returns what the changelog says about a version. A prerelease without its own section gets the section Unreleased.
func Notes(changelog, version string) (string, error) {
	if err := checkVersion(version); err != nil {
		return "", err
	}
	notes, found := section(changelog, version)
	if !found && semantic.FindStringSubmatch(version)[1] != "" {
		notes, found = section(changelog, "Unreleased")
	}
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no section %q: rename \"## Unreleased\", commit, and run make release again", "## "+version)
	}
	if notes == "" {
		return "", fmt.Errorf("the section of %s in CHANGELOG.md is empty", version)
	}
	// The notes are read outside the repository, so links within it must lead to its pages of this version.
	notes = ownLink.ReplaceAllString(notes, "]("+source.Home+"/blob/"+version+"/$1")
	return "# Sickbay " + version + "\n\n" + notes + "\n", nil
}

// section returns the text between a heading like "## v1.2.3" or "## v1.2.3 (2026-12-01)" and the next one.
func section(changelog, name string) (string, bool) {
	for part := range strings.SplitSeq("\n"+changelog, "\n## ") {
		title, text, _ := strings.Cut(part, "\n")
		if fields := strings.Fields(title); len(fields) > 0 && fields[0] == name {
			return strings.TrimSpace(text), true
		}
	}
	return "", false
}
