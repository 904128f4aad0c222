package sbom

import (
	"regexp"
	"slices"
	"strings"
)

// declaration are the licenses of modules.
type declaration map[string][]string

// above is a line above a text in the notices: a module, one of its files, and which licenses are in that.
var above = regexp.MustCompile(`^(.+) \([^()]+\): ([A-Za-z0-9.-]+(?: AND [A-Za-z0-9.-]+)*)$`)

// licenses reads the notices. The modules that have a text stand between two lines of equals signs above it.
func licenses(notices []byte) declaration {
	all, heading := declaration{}, false
	for line := range strings.Lines(string(notices)) {
		line = strings.TrimSuffix(line, "\n")
		if line == strings.Repeat("=", 100) {
			heading = !heading
			continue
		}
		if found := above.FindStringSubmatch(line); heading && found != nil {
			all[found[1]] = append(all[found[1]], strings.Split(found[2], " AND ")...)
		}
	}
	return all
}

// of is an SPDX expression of all licenses of a module.
func (d declaration) of(module string) string {
	ids := slices.Compact(slices.Sorted(slices.Values(d[module])))
	if len(ids) == 0 {
		return noAssertion
	}
	return strings.Join(ids, " AND ")
}
