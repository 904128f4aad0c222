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
	// reasonAllSkipped says that the rule has skipped all objects of a list.
	reasonAllSkipped = "AllSkipped"
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
)

// How long something may take, unless Tolerate says otherwise.
const (
	// ObservedWithin is for a controller to look at a new generation
	// (ReasonNotObserved).
	ObservedWithin = time.Minute
	// RolloutWithin is for a roll-out (ReasonRollingOut). Deployments have the same
	// default for their own deadline.
	RolloutWithin = 10 * time.Minute
	// boundWithin is for a PersistentVolumeClaim to get its volume (ReasonPending).
	boundWithin = 5 * time.Minute
	// DrainedWithin is for an object to go that is being deleted.
	DrainedWithin = 15 * time.Minute
)
