package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const header = `Sickbay's binary consists of the code in this repository, which is under the Apache License 2.0 (see LICENSE), and of the modules
below. The license texts follow one another; modules with the same text share it. Each file of a module is followed by the
SPDX identifiers of its licenses. make licenses checks this file, and the bills of materials are generated from it.
`

// notices returns the license texts for the binary, each once. They have no versions, so that an update usually does not change them: the
// binary has the versions (go version -m).
func notices(linked []*module) ([]byte, error) {
	users := map[string][]string{}
	for _, m := range linked {
		for _, name := range slices.Sorted(maps.Keys(m.files)) {
			text := strings.TrimSpace(strings.ReplaceAll(string(m.files[name]), "\r\n", "\n"))
			user := m.path + " (" + name + ")"
			if ids := licensesIn(name, m.files[name]); len(ids) > 0 {
				user += ": " + strings.Join(ids, " AND ")
			}
			users[text] = append(users[text], user)
		}
	}
	if len(users) == 0 {
		return nil, errors.New("there are no licenses")
	}
	texts := slices.SortedFunc(maps.Keys(users), func(a, b string) int { return strings.Compare(users[a][0], users[b][0]) })
	var out bytes.Buffer
	out.WriteString(header)
	for _, text := range texts {
		fmt.Fprintf(&out, "\n%s\n%s\n%s\n\n%s\n", line, strings.Join(users[text], "\n"), line, text)
	}
	return out.Bytes(), nil
}

var line = strings.Repeat("=", 100)
