// Package compat has Gardener's own health check library and package gardener work side
// by side, on objects that are the same, and compares the conditions.
//
// It is a module of its own, as the library has more than a thousand packages. There is
// nothing in it but tests; make test-gardener runs them.
package compat
