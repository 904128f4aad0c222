// Package admission answers: which sick machines of a MachineHealthCheck may be repaired now?
//
// It is pure: facts and the time in, a decision out. What the decision asks for is done by machinehealthcheck, which
// creates MachineRemediations and grants them slots; the repair itself is decided by remediation/ladder.
package admission
