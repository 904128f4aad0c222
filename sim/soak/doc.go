// Package soak keeps Sickbay busy for a long time and looks whether it stays as it was at the beginning: random faults befall
// thousands of machines, everything that happens goes into a ledger, and what the ledger must not hold is judged at the end.
//
//	plan (from a seed) ──> faults ──> Nodes, Machines, MachineHealthChecks, clusters, the process ──> Sickbay
//	                          │                                                                          │
//	                          └────────────> ledger <──── what the API server tells <────────────────────┘
//	                                           └──> Judge           samples of its metrics ──> Trends
//
// The plan, the judgement of the ledger and that of the samples are pure. The owner of the machines is played: whatever is
// marked for it is deleted, and replaced by a new machine, which is healthy.
package soak
