// Package trace decides what on an object is Sickbay's, and how to remove it. It is pure: it takes an object, and returns what it
// found and the writes that remove it.
//
// The managed fields show whose a field is, or its name or value does. What somebody else has written since stays. Every write tests
// the UID of the object and each value that it removes, so it removes only what was read.
package trace
