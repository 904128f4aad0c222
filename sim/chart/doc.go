// Package chart tests the Helm chart with the real Helm and a real API server: what each value does, that the server accepts the
// objects, which rights they give, and that docs/install.md can be followed to the letter.
//
// go test does not build Helm: make test-operate passes its path with -args -helm. Without it, the tests are skipped.
package chart
