// Package trace decides what of an object is Sickbay's, and what takes it back. It is pure: an object goes in as it was read, and what
// was found comes out, with the writes that take it away again.
//
// Whose a field is, the managed fields say, or its name, or its value. What somebody else has written since stays. Every write tests
// the UID of the object and each value that it takes away, so that nothing goes which was not looked at.
package trace
