// Package pause decides whether to pause a MachineHealthCheck while its cluster upgrades.
//
// It answers two questions. Which upgrades are going on? ClusterVersion, MachineConfigPools and Clusters each report that in their own
// way. What does that mean for a MachineHealthCheck? Decide acts on the first state in state.go that applies.
//
// It is pure: it takes objects, facts and the time, and returns upgrades or a decision. It need not see an upgrade begin or end: the
// annotations of the MachineHealthCheck record what was done for which upgrade. The package upgradepause reads the facts and carries
// out decisions.
package pause
