// Package clusterapi has the rules and checks for the kinds of Cluster API.
//
// They are to be used like those of package checks, which says what a rule is:
// [Machine], [MachineSet] and [MachineDeployment] judge one object each, and [Nodes]
// compares the machines of a cluster with its Nodes, by the rules [EnoughNodes] and
// [NoSurplusNodes].
//
// It is a module of its own, so that only those who look after Cluster API depend on
// its types.
package clusterapi
