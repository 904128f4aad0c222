package admission

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// Facts is everything that the decision on a MachineHealthCheck depends on, apart from the time. Deciding changes nothing
// in it.
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
	// Records are the MachineRemediations of the MachineHealthCheck: those of its targets, and those of machines that
	// nobody looks after any more and that it has admitted. They may have ended.
	Records []*v1alpha1.MachineRemediation
	// History are all MachineRemediations of the cluster: memory and pacing go by them.
	History []*v1alpha1.MachineRemediation
	// Template says what is known about the remediation template.
	Template Template
	// KindsMissing reports that MachineRemediations are not installed.
	KindsMissing bool
	// Unseen reports that the cache does not show everything yet that was admitted before: nobody else is, until it does.
	Unseen bool
	// Failures are the Machines whose record could not be created, or granted a slot, by their UID.
	Failures map[types.UID]Failure
}

// Template is what was observed about spec.remediation.templateRef.
type Template struct {
	// Missing says why the template cannot be used; empty if it can.
	Missing string
	// Plan is the MachineRemediationTemplate, if the MachineHealthCheck names one and it could be read.
	Plan *v1alpha1.MachineRemediationTemplate
	// Problem says why the plan cannot be used; empty if it can.
	Problem string
}

// Failure says that a Machine could not be admitted.
type Failure struct {
	// Count is how often it has failed in a row.
	Count int
	// RetryAt is when it is tried again.
	RetryAt time.Time
}

// Target is a Machine with what is known about its repair.
type Target struct {
	Machine *clusterv1.Machine
	// Present is the verdict of a look just now; empty if there was none.
	Present metav1.ConditionStatus
	// LeftOver names what an earlier version of Sickbay has left on the Machine; empty if it has left nothing.
	LeftOver string
	// Host is the bare-metal host of the Machine; nil if it has none.
	Host *v1alpha1.RemediationReference
	// AwaitedBy is the open record of another machine that waits for this one in its place, and judges it; empty if none does.
	AwaitedBy string
}

// Verdict returns the stored verdict, or nil if there is none yet.
func (t Target) Verdict() *metav1.Condition {
	return meta.FindStatusCondition(t.Machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
}

func (t Target) stored() metav1.ConditionStatus {
	if v := t.Verdict(); v != nil {
		return v.Status
	}
	return ""
}

func (t Target) deleting() bool { return !t.Machine.DeletionTimestamp.IsZero() }

// unconfirmed reports whether a look just now does not bear the stored verdict out. One that has no verdict yet and cannot
// be judged either is undecided, both times.
func (t Target) unconfirmed() bool {
	return t.Present != "" && t.Present != t.stored() && !t.deleting() && (t.Present != metav1.ConditionUnknown || t.stored() != "")
}

// healthy reports whether the Machine is healthy by its stored verdict. One that is starting, undecided or on its way out
// is not.
func (t Target) healthy() bool { return t.stored() == metav1.ConditionTrue && !t.deleting() }

// sick reports whether the Machine is to be repaired, or is under repair.
func (t Target) sick() bool { return t.stored() == metav1.ConditionFalse && !t.deleting() }

// open reports whether a record is not over.
func open(r *v1alpha1.MachineRemediation) bool { return !ladder.Ended(r) }

// openByMachine returns the open records by the UID of their machine; nil if there are none.
func (f Facts) openByMachine() map[types.UID]*v1alpha1.MachineRemediation {
	var all map[types.UID]*v1alpha1.MachineRemediation
	for _, r := range f.Records {
		if !open(r) {
			continue
		}
		if all == nil {
			all = map[types.UID]*v1alpha1.MachineRemediation{}
		}
		all[r.Spec.MachineRef.UID] = r
	}
	return all
}

// EachNew calls do for each target that may get a new record: it is sick, or something is left on it, and no record of it
// is open.
func (f *Facts) EachNew(do func(*Target)) {
	records := f.openByMachine()
	for i := range f.Targets {
		target := &f.Targets[i]
		if records[target.Machine.UID] != nil || (!target.sick() && target.LeftOver == "") {
			continue
		}
		do(target)
	}
}

// Await notes that a record waits for a machine in the place of its own.
func (f *Facts) Await(machine types.UID, record string) {
	for i := range f.Targets {
		if f.Targets[i].Machine.UID == machine {
			f.Targets[i].AwaitedBy = record
		}
	}
}
