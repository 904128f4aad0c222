// Package soak keeps Sickbay busy for a long time and checks that it stays as it was at the beginning. It injects random
// faults into thousands of machines, records everything that happens in a ledger, and at the end judges the ledger.
//
//	plan (from a seed) ──> faults ──> Nodes, Machines, MachineHealthChecks, clusters, the process ──> Sickbay
//	                          │                                                                          │
//	                          └────────────> ledger <──── what the API server says <─────────────────────┘
//	                                           └──> Judge           samples of its metrics ──> Trends
//
// The plan, and the judgement of the ledger and of the samples, are pure. The soak plays the owner of the machines: it
// deletes each Machine that is marked, and replaces it with a healthy one.
package soak
