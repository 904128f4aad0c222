// Package compat runs Gardener's own health check library and package gardener side by
// side, on identical objects, and compares the conditions.
//
// It is a separate module, because that library has more than a thousand packages. It
// contains only tests; make test-gardener runs them.
package compat
