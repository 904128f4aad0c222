// Package upgradepause pauses MachineHealthChecks while a cluster upgrades, and resumes
// them when it has: Nodes that reboot for the upgrade are not remediated for it.
//
// It is the last arrow of the design: ClusterVersion, a MachineConfigPool, or a Cluster of Cluster API that rolls
// out another Kubernetes version, to the paused annotation on MachineHealthChecks. It
// looks at one MachineHealthCheck at a time, as metadata only, of Cluster API's group and of
// OpenShift's. Where another controller looks after the machines, a pause ends when their Nodes are
// Ready, or a time after the upgrade.
//
// Nothing depends on having seen an upgrade begin or end. What was done for which
// upgrade is stored on the MachineHealthCheck itself, by the same write that pauses or
// resumes it; Decide is pure and starts from that.
package upgradepause
