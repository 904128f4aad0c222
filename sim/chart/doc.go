// Package chart tests the Helm chart with the real Helm and a real API server: what each value does, that the server takes it, what it
// permits, and that docs/install.md can be followed to the letter.
//
// Helm is not built by go test: make test-operate gives its path by -args -helm. Without it nothing is tried here.
package chart
