package clusterapi

import "time"

// Reasons of the results of this package. Others are those of package checks, and those
// made from the type of a condition, such as NotReady.
const (
	// ReasonProvisioning and ReasonDeleting are about a Machine that has no Node yet, or is
	// being deleted.
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

// How long something may take by default. checks.Tolerate changes it.
const (
	// provisionedWithin is how long a machine may take to become a Node
	// (ReasonProvisioning).
	provisionedWithin = 20 * time.Minute
	// nodesWithin is how long Nodes may be missing or not ready (ReasonPendingMachines,
	// ReasonNodesNotReady).
	nodesWithin = 5 * time.Minute
)
