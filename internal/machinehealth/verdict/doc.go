// Package verdict decides whether a Machine is healthy.
//
// Decide gets what is known of a Machine, its Cluster, its Node and its host, and the rules of its MachineHealthCheck. It answers with the
// condition HealthCheckSucceeded, and with the moment at which that changes by itself. The lists in decide.go have the rules in their order;
// docs/concepts.md has a row for each outcome.
//
// It is pure: facts and the time in, a decision out. The package machinehealth reads the facts and stores the verdict;
// machinehealthcheck asks whether the Machine may be repaired.
package verdict
