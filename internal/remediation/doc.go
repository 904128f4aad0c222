// Package remediation carries repairs out. It takes each MachineRemediation from its admission until its machine is healthy or
// gone.
//
// Three packages answer three questions. machinehealth says whether a machine is sick, machinehealthcheck says whether it may be
// repaired now, and this package says what the next step is: ladder decides, observe.go reads, act.go writes. Nothing else writes
// the status of a record, or what a record asks for on Machines.
//
// Decisions are made on the caches. One that acts on a machine, or ends an attempt, is made again on live reads first.
package remediation
