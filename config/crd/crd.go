// Package crd holds the definitions of Sickbay's own kinds, for the command that prints them and for tests. They are
// generated from the Go types in api.
package crd

import (
	"bytes"
	"embed"
	"fmt"
)

//go:embed sickbay.dev_*.yaml
var files embed.FS

// YAML returns the CustomResourceDefinitions of all of Sickbay's kinds as one stream of YAML documents, each of which
// begins with a line "---". They are in the order of their names.
func YAML() ([]byte, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("listing the definitions: %w", err)
	}
	var stream bytes.Buffer
	for _, entry := range entries {
		data, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the definition in %s: %w", entry.Name(), err)
		}
		stream.Write(data)
	}
	return stream.Bytes(), nil
}
