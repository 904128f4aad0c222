// Package ladder decides the next step of a repair.
//
// A repair has one record, a MachineRemediation, with a plan of steps. Decide takes the facts about the record and its machine, and
// the time, and returns one thing: a status to store, or one act in the world. It is pure: the remediation controller observes
// before it and acts after it, until there is nothing to do.
//
// The rules in decide.go are in order of precedence. An attempt is stored before it acts (creating the record is the intent for the
// first attempt), and its end is stored before anything of it is withdrawn. So a crash between any two writes loses nothing.
package ladder
