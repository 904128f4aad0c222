// Package workload reads the Nodes of workload clusters, behind a small interface.
//
// It stands on Cluster API's clustercache, which keeps one cached client for each
// cluster, probes it, and drops it when it stops answering. What this package adds
// is that one cluster that hangs never holds up the others, and that "cannot be
// read" is an answer of its own, with a stable cause, and not just any error.
package workload
