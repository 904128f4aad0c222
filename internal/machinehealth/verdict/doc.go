// Package verdict decides whether a Machine is healthy.
//
// Decide gets what is known of a Machine, its Cluster, its Node and its host, and the rules of its MachineHealthCheck. It returns the
// condition HealthCheckSucceeded, and when that changes by itself. The lists in decide.go have the rules in order; docs/concepts.md has a
// row for each outcome.
//
// The package is pure: it gets facts and the time, and returns a decision. The package machinehealth reads the facts and stores the
// verdict; machinehealthcheck decides whether the Machine may be repaired.
package verdict
