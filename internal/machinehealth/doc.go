// Package machinehealth answers one question: is this Machine healthy?
//
// It is the first user of the healthcheck engine: one condition type,
// HealthCheckSucceeded, with one check. The check observes the Machine, its
// Cluster, the rules of the MachineHealthCheck it belongs to and its Node, and
// decides by the table in docs/concepts.md. Nobody else writes the condition, and
// nothing here acts on it: that is machinehealthcheck's part.
package machinehealth
