// Package workload reads the Nodes of workload clusters, behind a small interface.
//
// It uses Cluster API's clustercache, which keeps one cached client for each cluster, probes it, and drops it
// when it stops answering. This package adds two things: one cluster that hangs never holds up the others,
// and "cannot be read" is an answer of its own, with a stable cause.
package workload
