package machinehealthcheck

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// Facts is everything that the decision on a MachineHealthCheck depends on, apart
// from the time. Nothing in it is changed by deciding.
type Facts struct {
	MachineHealthCheck *clusterv1.MachineHealthCheck
	Cluster            *clusterv1.Cluster
	// SelectorProblem is why the selector cannot be used; nil if it can.
	SelectorProblem error
	// Targets are the Machines that belong to the MachineHealthCheck, sorted by name.
	Targets []Target
	// Elsewhere are the names of Machines that it selects, but that belong to an
	// older one; by the name of that one.
	Elsewhere map[string][]string
	// Unseen are the remedies on Machines that the cache does not show yet: until
	// when each counts as in flight.
	Unseen []time.Time
	// Template says what is known about the remediation template.
	Template TemplateFacts
}

// TemplateFacts is what was observed about spec.remediation.templateRef.
type TemplateFacts struct {
	// Missing says why the template cannot be used; empty if it can.
	Missing string
}

// Target is a Machine with what is known about its remediation.
type Target struct {
	Machine *clusterv1.Machine
	// Request is the remediation request that stands for the Machine, or nil.
	Request *metav1.PartialObjectMetadata
	// ActedUntil is set if we applied a remedy which the cache does not show yet:
	// until then it counts as in flight.
	ActedUntil time.Time
	// Doubtful tells that a look at the Machine just now does not bear its stored
	// verdict out.
	Doubtful bool
}

// verdict returns the stored verdict, or nil if there is none yet.
func (t Target) verdict() *metav1.Condition {
	return meta.FindStatusCondition(t.Machine.Status.Conditions, machinehealth.ConditionType)
}

func (t Target) deleting() bool { return !t.Machine.DeletionTimestamp.IsZero() }

// healthy tells whether the Machine counts as healthy. One that is starting,
// undecided or on its way out does not.
func (t Target) healthy() bool {
	v := t.verdict()
	return v != nil && v.Status == metav1.ConditionTrue && !t.deleting() && !t.Doubtful
}

// sick tells whether the Machine needs a remedy, or has one at work.
func (t Target) sick() bool {
	v := t.verdict()
	return v != nil && v.Status == metav1.ConditionFalse && !t.deleting()
}

// sickSince is when the verdict on a sick Machine fell.
func (t Target) sickSince() time.Time { return t.verdict().LastTransitionTime.Time }

// inFlight tells whether a remedy is at work on the Machine.
func (t Target) inFlight() bool {
	switch {
	case t.deleting(), t.Request != nil, !t.ActedUntil.IsZero(), remedy.RebootRequested(t.Machine):
		return true
	}
	return metav1.GetControllerOfNoCopy(t.Machine) != nil && !remedy.NeedsMark(t.Machine) && !t.healthy()
}
