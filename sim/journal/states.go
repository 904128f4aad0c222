package journal

import (
	"context"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Machine waits for a state of the Machine with that UID.
func (j *Journal) Machine(ctx context.Context, uid types.UID, what string, matches func(*clusterv1.Machine) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		machine, ok := e.Object.(*clusterv1.Machine)
		return ok && machine.UID == uid && matches(machine)
	})
}

// Gone waits for the removal of the object with that UID.
func (j *Journal) Gone(ctx context.Context, uid types.UID, what string) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool { return e.Gone && e.Object.GetUID() == uid })
}

// MachineHealthCheck waits for a state of a MachineHealthCheck.
func (j *Journal) MachineHealthCheck(ctx context.Context, key client.ObjectKey, what string, matches func(*clusterv1.MachineHealthCheck) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		mhc, ok := e.Object.(*clusterv1.MachineHealthCheck)
		return ok && client.ObjectKeyFromObject(mhc) == key && matches(mhc)
	})
}

// Verdict returns the verdict on a Machine, or nil.
func Verdict(machine *clusterv1.Machine) *metav1.Condition {
	return meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
}

// HasVerdict matches Machines whose verdict has that status, and that reason unless it is empty.
func HasVerdict(status metav1.ConditionStatus, reason string) func(*clusterv1.Machine) bool {
	return func(machine *clusterv1.Machine) bool {
		verdict := Verdict(machine)
		return verdict != nil && verdict.Status == status && (reason == "" || verdict.Reason == reason)
	}
}

// Marked matches Machines that are marked for their owner.
func Marked(machine *clusterv1.Machine) bool {
	return meta.IsStatusConditionFalse(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
}

// Marks counts how often a Machine was marked for its owner.
func (j *Journal) Marks(machine types.UID) int {
	times, marked := 0, false
	j.Find(func(e Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		if !ok || m.UID != machine {
			return false
		}
		if !marked && Marked(m) {
			times++
		}
		marked = Marked(m)
		return false
	})
	return times
}

// Deleting matches Machines in deletion.
func Deleting(machine *clusterv1.Machine) bool { return !machine.DeletionTimestamp.IsZero() }

// Record waits for a state of a MachineRemediation of the Machine with that UID.
func (j *Journal) Record(ctx context.Context, machine types.UID, what string, matches func(*v1alpha1.MachineRemediation) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		record, ok := e.Object.(*v1alpha1.MachineRemediation)
		return ok && record.Spec.MachineRef.UID == machine && matches(record)
	})
}

// Records returns the latest state of each MachineRemediation of the Machine with that UID, in order.
func (j *Journal) Records(machine types.UID) []*v1alpha1.MachineRemediation {
	var all []*v1alpha1.MachineRemediation
	index := map[types.UID]int{}
	entries, _ := j.since(0)
	for _, e := range entries {
		record, ok := e.Object.(*v1alpha1.MachineRemediation)
		if !ok || record.Spec.MachineRef.UID != machine {
			continue
		}
		if i, known := index[record.UID]; known {
			all[i] = record
			continue
		}
		index[record.UID] = len(all)
		all = append(all, record)
	}
	for i, record := range all {
		all[i] = record.DeepCopy()
	}
	return all
}

// Event waits for an event of a remediation.
func (j *Journal) Event(ctx context.Context, what string, matches func(*eventsv1.Event) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		event, ok := e.Object.(*eventsv1.Event)
		return ok && matches(event)
	})
}

// Progress returns what a MachineRemediation says happens next; empty if it says nothing yet.
func Progress(record *v1alpha1.MachineRemediation) metav1.Condition {
	return ladder.Progress(&record.Status)
}

// Success returns what a MachineRemediation says about its end; empty before.
func Success(record *v1alpha1.MachineRemediation) metav1.Condition {
	return ladder.Success(&record.Status)
}

// InPhase matches MachineRemediations in that phase, for that reason unless it is empty.
func InPhase(phase v1alpha1.RemediationPhase, reason string) func(*v1alpha1.MachineRemediation) bool {
	return func(record *v1alpha1.MachineRemediation) bool {
		return record.Status.Phase == phase && (reason == "" || Progress(record).Reason == reason)
	}
}

// EndedAs matches MachineRemediations that have ended for that reason.
func EndedAs(reason string) func(*v1alpha1.MachineRemediation) bool {
	return func(record *v1alpha1.MachineRemediation) bool {
		return record.Status.CompletionTime != nil && Success(record).Reason == reason
	}
}

// Request waits for a state of a RebootRemediation of a Machine, at the given time or later. A state that was seen at that time
// counts, as the first state that was seen may be further than the one that was looked for.
func (j *Journal) Request(ctx context.Context, machine *clusterv1.Machine, what string, since time.Time, matches func(*v1alpha1.RebootRemediation) bool) (Entry, error) {
	return j.Await(ctx, what, func(e Entry) bool {
		return IsRequest(e, machine) && !e.At.Before(since) && matches(e.Object.(*v1alpha1.RebootRemediation))
	})
}

// IsRequest reports whether an entry is a state of a RebootRemediation for a Machine. A RebootRemediation names the
// Machine if a MachineRemediation created it; otherwise it has the Machine as its owner.
func IsRequest(e Entry, machine *clusterv1.Machine) bool {
	request, ok := e.Object.(*v1alpha1.RebootRemediation)
	if !ok {
		return false
	}
	if request.Spec.RequestedBy.ForRecord() && request.Spec.Machine != nil {
		return request.Spec.Machine.Name == machine.Name
	}
	for _, owner := range request.OwnerReferences {
		if owner.UID == machine.UID {
			return true
		}
	}
	return false
}
