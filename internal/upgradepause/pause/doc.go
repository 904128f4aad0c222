// Package pause decides whether a MachineHealthCheck is paused while its cluster upgrades.
//
// It answers two questions. Which upgrades go on? ClusterVersion, MachineConfigPools and Clusters say so, each in its own way. What
// becomes of a MachineHealthCheck for that? Decide goes through the states in state.go, and the first that applies decides.
//
// It is pure: objects, facts and the time in, upgrades or a decision out. Nothing depends on having seen an upgrade begin or end: what
// was done for which upgrade is stored on the MachineHealthCheck, in the annotations that a decision changes. The package upgradepause
// reads the facts, and carries decisions out.
package pause
