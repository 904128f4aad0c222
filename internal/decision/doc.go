// Package decision says what a person's word would do before it is written: an answer about a repair (approve, deny, retry,
// cancel), a hold, the end of a hold.
//
// It is pure, and has no opinion of its own on what follows: it puts the answer into a copy of the record and asks the
// ladder, which is what the remediation controller goes by.
package decision
