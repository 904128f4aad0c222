// Package machinehealthcheck answers: may we remediate, and with which remedy?
//
// It reads the verdicts that machinehealth stored on the Machines, counts them,
// compares the count with what the MachineHealthCheck allows, and picks a remedy
// for each sick Machine within the budget. It never judges a Machine from what is
// stored alone: just before a remedy acts, the Machine and its Node are read live
// and judged again.
package machinehealthcheck
