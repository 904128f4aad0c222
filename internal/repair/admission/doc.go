// Package admission answers: which sick machines of a MachineHealthCheck may be repaired now?
//
// It is pure: facts and the time in, a decision out. Package machinehealthcheck carries the decision out: it creates
// MachineRemediations and grants them slots. ladder decides on the repair itself.
package admission
