package admission

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Facts is everything that the decision on a MachineHealthCheck depends on, apart from the time. Deciding does not change it.
type Facts struct {
	MachineHealthCheck *clusterv1.MachineHealthCheck
	Cluster            *clusterv1.Cluster
	// SelectorProblem says why the selector is invalid; nil if it is valid.
	SelectorProblem error
	// Targets are the Machines that belong to the MachineHealthCheck, sorted by name.
	Targets []Target
	// Elsewhere are the names of Machines that it selects but that a MachineHealthCheck of another controller has to itself, by the name of that one.
	Elsewhere map[string][]string
	// Records are the MachineRemediations of the MachineHealthCheck: those of its targets, and those that it admitted for machines
	// that belong to none any more. They may have ended.
	Records []*v1alpha1.MachineRemediation
	// History are all MachineRemediations of the cluster, for memory and pacing.
	History []*v1alpha1.MachineRemediation
	// Template says what is known about the remediation template.
	Template Template
	// KindsMissing reports that MachineRemediations are not installed.
	KindsMissing bool
	// Unseen reports that the cache does not show all earlier admissions yet. Nobody else is admitted until it does.
	Unseen bool
	// Shares are how many Nodes show the unhealthy conditions for which there is a limit; see Suspect.
	Shares []Share
	// Failures are the Machines for which creating the record or granting a slot failed, by UID.
	Failures map[types.UID]Failure
}

// Template is what was observed about spec.remediation.templateRef.
type Template struct {
	// Missing says why the template cannot be used; empty if it can.
	Missing string
	// Plan is the MachineRemediationTemplate, if the MachineHealthCheck names one and it could be read.
	Plan *v1alpha1.MachineRemediationTemplate
	// Reboot is what the RebootRemediationTemplate says, if the MachineHealthCheck names one.
	Reboot v1alpha1.RebootSettings
	// Problem says why the plan cannot be used; empty if it can.
	Problem string
}

// Failure says that a Machine could not be admitted.
type Failure struct {
	// Count is how many times in a row it failed.
	Count int
	// RetryAt is when to retry it.
	RetryAt time.Time
}

// Target is a Machine with what is known about its repair.
type Target struct {
	Machine *clusterv1.Machine
	// Present is the result of a judgement just now; empty if there was none.
	Present metav1.ConditionStatus
	// Stray is the kind of a request for the Machine that no record stands behind; empty if there is none.
	Stray string
	// Host is the bare-metal host of the Machine; nil if it has none.
	Host *v1alpha1.RemediationReference
	// AwaitedBy is the open record of another machine that waits for this one as its replacement, and judges it; empty if none
	// does.
	AwaitedBy string
	// Suspected says why the Machine is not repaired if it is sick only by what is suspect; empty otherwise.
	Suspected string
	// Shared is set if other MachineHealthChecks select the Machine, too.
	Shared *Shared
}

// Verdict returns the stored verdict, or nil if there is none yet. If other MachineHealthChecks select the Machine, it returns this one's part of it.
func (t Target) Verdict() *metav1.Condition {
	if t.Shared != nil {
		return t.Shared.Part
	}
	return meta.FindStatusCondition(t.Machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
}

func (t Target) stored() metav1.ConditionStatus {
	if v := t.Verdict(); v != nil {
		return v.Status
	}
	return ""
}

func (t Target) deleting() bool { return !t.Machine.DeletionTimestamp.IsZero() }

// hangs reports whether the Machine is being deleted for longer than a deletion may take.
func (t Target) hangs(now time.Time) bool {
	return t.deleting() && !now.Before(t.Machine.DeletionTimestamp.Add(ladder.DeletionTime))
}

// unconfirmed reports whether a new judgement does not confirm the stored verdict. A Machine without a verdict that cannot be
// judged is undecided both times.
func (t Target) unconfirmed() bool {
	return t.Present != "" && t.Present != t.stored() && !t.deleting() && (t.Present != metav1.ConditionUnknown || t.stored() != "")
}

// healthy reports whether the Machine is healthy by its stored verdict. A Machine that is starting, undecided or being deleted is
// not.
func (t Target) healthy() bool { return t.stored() == metav1.ConditionTrue && !t.deleting() }

// sick reports whether the Machine needs repair, or is under repair.
func (t Target) sick() bool { return t.stored() == metav1.ConditionFalse && !t.deleting() }

// openByMachine returns the open records by the UID of their machine; nil if there are none.
func (f Facts) openByMachine() map[types.UID]*v1alpha1.MachineRemediation {
	var all map[types.UID]*v1alpha1.MachineRemediation
	for _, r := range f.Records {
		if ladder.Ended(r) {
			continue
		}
		if all == nil {
			all = map[types.UID]*v1alpha1.MachineRemediation{}
		}
		if other := all[r.Spec.MachineRef.UID]; other == nil || other.Spec.AskedFor() {
			// What a person asked for waits for the health check's, which has begun.
			all[r.Spec.MachineRef.UID] = r
		}
	}
	return all
}

// EachNew calls do for each target that may get a new record: it is sick or has a stray, and no record of it is open.
func (f *Facts) EachNew(do func(*Target)) {
	records := f.openByMachine()
	for i := range f.Targets {
		target := &f.Targets[i]
		if records[target.Machine.UID] != nil || (!target.sick() && target.Stray == "") {
			continue
		}
		do(target)
	}
}

// Await records that a record waits for a machine as a replacement.
func (f *Facts) Await(machine types.UID, record string) {
	for i := range f.Targets {
		if f.Targets[i].Machine.UID == machine {
			f.Targets[i].AwaitedBy = record
		}
	}
}
