// Package upgradepause pauses MachineHealthChecks while a cluster upgrades, and resumes them afterwards: Nodes
// that reboot for the upgrade need no repair.
//
// It watches ClusterVersion, MachineConfigPools, and Clusters of Cluster API that roll out another Kubernetes
// version, and writes the paused annotation on MachineHealthChecks of Cluster API's and OpenShift's groups. It
// handles one MachineHealthCheck at a time, as metadata only. If another controller manages the machines, a pause
// ends when their Nodes are Ready, or some time after the upgrade.
//
// It need not see an upgrade begin or end. The write that pauses or resumes a MachineHealthCheck also records on
// it what was done for which upgrade; Decide is pure and starts from that record.
package upgradepause
