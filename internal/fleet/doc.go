// Package fleet reads everything that explain tells about, as the controllers read it: with their own observers and from the same
// caches. It decides nothing that they would not decide, and writes nothing.
package fleet
