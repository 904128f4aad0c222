// Package clusterapi has the rules and checks for the kinds of Cluster API.
//
// Use them like those of package checks, which explains rules: [Machine], [MachineSet] and
// [MachineDeployment] judge one object each, and [Nodes] compares the machines of a cluster
// with its Nodes, by the rules [EnoughNodes] and [NoSurplusNodes].
//
// It is a separate module, so that only users of Cluster API depend on its types.
package clusterapi
