// Package remediation carries repairs out: it takes each MachineRemediation from when a machine was admitted to repair until
// the machine is healthy or gone.
//
// It is the third of three owners. machinehealth says whether a machine is sick, machinehealthcheck whether it may be
// repaired now, and this package what the next step is: ladder decides, observe.go reads, act.go writes. It alone writes
// the status of a record, and what a record asks for on Machines.
//
// A decision is made on what the caches show. One that does something to a machine, or that says that an attempt is over,
// is made once more on what was just read past them.
package remediation
