// Package fleet reads everything that the package explain needs, as the controllers read it: with their own observers and from
// the same caches. It makes only their decisions, and writes nothing.
package fleet
