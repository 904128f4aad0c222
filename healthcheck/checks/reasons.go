package checks

import "time"

// The reasons of the results of this package, besides those that are made of the name
// of a condition: one that has to be True and is not gives "Not" and its type, such as
// NotAvailable; one that must not be True gives its type, such as DiskPressure.
const (
	// ReasonHealthy says that there is nothing to complain about.
	ReasonHealthy = "Healthy"
	// ReasonNotFound says that there is no such object.
	ReasonNotFound = "NotFound"
	// ReasonAllSkipped says that the rule has skipped all objects of a list.
	ReasonAllSkipped = "AllSkipped"
	// ReasonNotObserved says that the status is about an older generation.
	ReasonNotObserved = "GenerationNotObserved"
	// ReasonRollingOut says that a roll-out has not ended.
	ReasonRollingOut = "RollingOut"
	// ReasonReplicasNotReady says that there are fewer ready replicas than wanted.
	ReasonReplicasNotReady = "ReplicasNotReady"
	// ReasonNotScheduled, ReasonMisscheduled and ReasonPodsUnavailable are about the
	// Pods of a DaemonSet.
	ReasonNotScheduled    = "PodsNotScheduled"
	ReasonMisscheduled    = "PodsMisscheduled"
	ReasonPodsUnavailable = "PodsUnavailable"
	// ReasonPending, ReasonFailed, ReasonLost and ReasonPhaseUnknown are about phases.
	ReasonPending      = "Pending"
	ReasonFailed       = "Failed"
	ReasonLost         = "Lost"
	ReasonPhaseUnknown = "PhaseUnknown"
	// ReasonNoIngress says that a Service of type LoadBalancer has none.
	ReasonNoIngress = "NoIngress"
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

// How long something may take, unless Within says otherwise.
const (
	// ObservedWithin is for a controller to look at a new generation, or to make the
	// machines that are wanted (ReasonNotObserved, ReasonMissingMachines).
	ObservedWithin = time.Minute
	// RolloutWithin is for a roll-out (ReasonRollingOut). Deployments have the same
	// default for their own deadline.
	RolloutWithin = 10 * time.Minute
	// BoundWithin is for a PersistentVolumeClaim to get its volume (ReasonPending).
	BoundWithin = 5 * time.Minute
	// ProvisionedWithin is for one machine to become a Node (ReasonProvisioning).
	ProvisionedWithin = 20 * time.Minute
	// NodesWithin is for missing Nodes to come (ReasonPendingMachines).
	NodesWithin = 5 * time.Minute
	// DrainedWithin is for machines to go (ReasonDeleting, ReasonDrainingMachines,
	// ReasonTooManyMachines).
	DrainedWithin = 15 * time.Minute
)
