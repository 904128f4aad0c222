// Package machinehealthcheck answers: which sick machines may be repaired now?
//
// It reads the verdicts that machinehealth stored on the Machines, and the MachineRemediations, which are the repairs. Who
// may be admitted is decided by the pure package admission. Then a MachineRemediation is created, or one that waits is
// granted a slot, and the status of the MachineHealthCheck says who waits for what. It writes nothing on Machines: the
// repair itself is the part of the package remediation.
package machinehealthcheck
