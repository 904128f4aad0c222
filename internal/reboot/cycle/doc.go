// Package cycle decides what comes next in the power cycle of a host: switch the host off and prove that it is off, take the Node out
// of service, switch the host on, put back what the Node had.
//
// Decide gets a request, which is a RebootRemediation, and what is known of the Machine, its host and its Node. It answers with one
// write: it either updates the request's status or does one thing in the world. Every action is stored before it is done, and is safe
// to repeat, so a crash between two writes loses nothing.
//
// The package is pure: it gets facts and the time, and returns a decision. The package reboot reads the facts, and carries out the
// decisions.
package cycle
