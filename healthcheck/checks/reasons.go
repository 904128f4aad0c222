package checks

import "time"

// Reasons of the results of this package. Others are made from the type of a condition: if
// it must be True and is not, the reason is "Not" and the type, such as NotAvailable; if it
// must not be True, the reason is the type, such as DiskPressure.
const (
	// ReasonHealthy means that nothing is wrong.
	ReasonHealthy = "Healthy"
	// ReasonNotFound means that there is no such object.
	ReasonNotFound = "NotFound"
	// reasonAllSkipped means that the rule skipped all objects of a list.
	reasonAllSkipped = "AllSkipped"
	// ReasonNotObserved means that the status is about an older generation.
	ReasonNotObserved = "GenerationNotObserved"
	// ReasonRollingOut means that a roll-out is still under way.
	ReasonRollingOut = "RollingOut"
	// ReasonReplicasNotReady means that fewer replicas are ready than wanted.
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
	// ReasonNoIngress means that a Service of type LoadBalancer has no ingress.
	ReasonNoIngress = "NoIngress"
)

// How long something may take by default. Tolerate changes it.
const (
	// ObservedWithin is how long a controller may take to observe a new generation
	// (ReasonNotObserved).
	ObservedWithin = time.Minute
	// RolloutWithin is how long a roll-out may take (ReasonRollingOut). Deployments have
	// the same default for their own deadline.
	RolloutWithin = 10 * time.Minute
	// boundWithin is how long a PersistentVolumeClaim may take to get its volume
	// (ReasonPending).
	boundWithin = 5 * time.Minute
	// DrainedWithin is how long the deletion of an object may take.
	DrainedWithin = 15 * time.Minute
)
