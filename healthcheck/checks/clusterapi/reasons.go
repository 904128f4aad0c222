package clusterapi

import "time"

// The reasons of the results of this package, besides those of package checks and those
// that are made of the name of a condition, such as NotReady.
const (
	// ReasonProvisioning and ReasonDeleting are about a Machine that has no Node yet, or
	// is going away.
	ReasonProvisioning = "Provisioning"
	ReasonDeleting     = "Deleting"
	// ReasonMachinesFailed, ReasonNodesNotReady, ReasonMissingMachines,
	// ReasonPendingMachines, ReasonDrainingMachines and ReasonTooManyMachines are about
	// the machines of a cluster, and their Nodes.
	ReasonMachinesFailed   = "MachinesFailed"
	ReasonNodesNotReady    = "NodesNotReady"
	ReasonMissingMachines  = "MissingMachines"
	ReasonPendingMachines  = "PendingMachines"
	ReasonDrainingMachines = "DrainingMachines"
	ReasonTooManyMachines  = "TooManyMachines"
)

// How long something may take, unless checks.Tolerate says otherwise.
const (
	// provisionedWithin is for one machine to become a Node (ReasonProvisioning).
	provisionedWithin = 20 * time.Minute
	// nodesWithin is for missing Nodes to come (ReasonPendingMachines).
	nodesWithin = 5 * time.Minute
)
