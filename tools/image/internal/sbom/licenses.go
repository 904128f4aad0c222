package sbom

import (
	"regexp"
	"slices"
	"strings"
)

// declaration maps modules to their licenses.
type declaration map[string][]string

// above matches a line of a heading in the notices: a module, one of its files, and the licenses in that file.
var above = regexp.MustCompile(`^(.+) \([^()]+\): ([A-Za-z0-9.-]+(?: AND [A-Za-z0-9.-]+)*)$`)

// licenses parses the notices. The heading of each text is between two lines of equals signs, and lists the modules with that text.
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

// of returns the licenses of a module as an SPDX expression.
func (d declaration) of(module string) string {
	ids := slices.Compact(slices.Sorted(slices.Values(d[module])))
	if len(ids) == 0 {
		return noAssertion
	}
	return strings.Join(ids, " AND ")
}
