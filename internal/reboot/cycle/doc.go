// Package cycle decides how the power cycle of a host goes on: host off and proven off, Node deleted or its workloads let go of, host
// on, what the Node had put back.
//
// Decide gets a record, and what is known of the Machine, its host and its Node, and answers with one write: either the record is
// brought up to date, or one thing is done in the world. What is to be done is always stored before it is done, and is safe to repeat,
// so a crash between any two writes loses nothing.
//
// It is pure: facts and the time in, a decision out. The package reboot reads the facts, and carries decisions out.
package cycle
