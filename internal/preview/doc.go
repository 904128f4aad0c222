// Package preview says what a person's decision would do before it is written: an answer about a repair (approve, deny,
// retry, cancel), a hold, or the end of a hold.
//
// It is pure, and has no rules of its own about the consequences: it puts the answer into a copy of the record and runs the
// ladder, which is what the remediation controller does.
package preview
