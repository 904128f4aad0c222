// Package ladder decides the next step of a repair.
//
// A repair has one record, a MachineRemediation, with a plan of steps. Decide takes what was observed about the record
// and its machine, and the time, and answers with one thing: a status to store, or one act in the world. It is pure: the
// remediation controller observes before it and acts after it, again and again until there is nothing to do.
//
// The order of the rules in decide.go is the order in which they matter. What an attempt does is stored before it is done
// (the creation of the record is the intent for the first attempt), and that an attempt is over is stored before
// anything of it is withdrawn, so a crash between any two writes loses nothing.
package ladder
