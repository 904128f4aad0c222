// Package machinehealthcheck answers: which sick machines may be repaired now?
//
// It reads the verdicts that machinehealth stored on the Machines, and the MachineRemediations, which are the repairs. The pure
// package admission decides which machines to admit. Then this package creates a MachineRemediation, or grants a slot to one that
// waits, and the status of the MachineHealthCheck says who waits for what. It writes nothing on Machines: package remediation
// carries repairs out.
package machinehealthcheck
