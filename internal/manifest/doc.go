// Package manifest reads the YAML that people keep in files: several documents in a file, lists, comments and all. What is
// read knows the file and the line that it stands in, so that a finding can point at it.
package manifest
