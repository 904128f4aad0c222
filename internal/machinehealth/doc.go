// Package machinehealth answers one question: is this Machine healthy?
//
// It uses the healthcheck engine for three conditions. HealthCheckSucceeded is the verdict:
// its check observes the Machine, its Cluster, its Node and the rules of its
// MachineHealthCheck, and decides by the table in docs/concepts.md. HostHealthy stores when
// an error of a bare-metal host began, and SignalsTrusted whether the conditions of the Node are
// believed, and what is remembered for that. Only this package writes these conditions, and it
// acts on nothing: machinehealthcheck admits machines to repair.
package machinehealth
