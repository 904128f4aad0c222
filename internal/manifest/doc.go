// Package manifest reads the YAML that people keep in files, including lists, comments and several documents in a file.
// What it returns knows its file and line, so that a finding can point there.
package manifest
