package remediation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// sweepTime is how long failed sweeps are retried; then the record is closed anyway.
const sweepTime = time.Hour

// lateActs is how long after the end of an attempt a former leader may still carry it out. It acts on an observation that is at
// most maxLookAge old, and an API server with the default --request-timeout gives a write a minute.
const lateActs = maxLookAge + time.Minute

// sweepRetry is how long to wait before looking again at a record whose sweep has to wait for late acts.
const sweepRetry = time.Minute

// sweep withdraws what an ended record does not know about: a former leader may have carried out an attempt after another leader
// ended it, or may still do so. Without the finalizer, nobody would look for that again. It reports whether nothing is left to do.
func (r *Reconciler) sweep(ctx context.Context, ended *v1alpha1.MachineRemediation) (done bool, err error) {
	unseen := unseenActs(ended)
	if len(unseen) == 0 && !cycled(ended) {
		return true, nil
	}
	machine, err := r.sweepAll(ctx, ended, unseen)
	now, key := r.Clock.Now(), client.ObjectKeyFromObject(ended)
	if err == nil {
		r.memory.Set(key, time.Time{})
	} else if since := r.memory.Update(key, func(first *time.Time) { *first = cmp.Or(*first, now) }); now.Sub(since) >= sweepTime {
		ctrl.LoggerFrom(ctx).Error(err, "Gave up withdrawing what an ended remediation may have left", "machine", ended.Spec.MachineRef.Name)
		return true, nil
	}
	return err == nil && (machine == nil || !now.Before(lateUntil(ended, unseen))), err
}

// sweepAll withdraws what is left, and returns the Machine on which more may come.
func (r *Reconciler) sweepAll(ctx context.Context, ended *v1alpha1.MachineRemediation, unseen []remedy.Request) (*clusterv1.Machine, error) {
	machine, err := r.sweepTarget(ctx, ended)
	if err != nil {
		return nil, err
	}
	for _, wanted := range unseen {
		if err := r.sweepRequest(ctx, wanted); err != nil {
			return machine, err
		}
	}
	if machine == nil {
		return nil, nil
	}
	return machine, r.sweepMachine(ctx, ended, machine)
}

// lateUntil is the latest time at which one of these acts may still be carried out. The deletion of a record does not wait for it: a
// late act then gets a record of its own.
func lateUntil(ended *v1alpha1.MachineRemediation, unseen []remedy.Request) time.Time {
	last := time.Time{}
	if !ended.DeletionTimestamp.IsZero() {
		return last
	}
	for _, wanted := range unseen {
		over := ended.Status.CompletionTime
		if wanted.Attempt.EndTime != nil {
			over = wanted.Attempt.EndTime
		}
		if due := over.Add(lateActs); due.After(last) {
			last = due
		}
	}
	return last
}

// sweepTarget reads the Machine of a record. It returns nil for a Machine that is gone or being deleted, or whose Cluster is gone, since
// everything on it goes, too. But when Sickbay drains, nobody looks again at a Machine that stays.
func (r *Reader) sweepTarget(ctx context.Context, ended *v1alpha1.MachineRemediation) (*clusterv1.Machine, error) {
	machine, err := r.machineOf(ctx, r.Live, ended)
	if err != nil || machine == nil || !machine.DeletionTimestamp.IsZero() {
		return nil, err
	}
	if r.OpenShift {
		return machine, nil
	}
	cluster, err := clusterOf(ctx, r.Live, ended)
	if err != nil || cluster == nil && !r.Policy.Drain {
		return nil, err
	}
	return machine, nil
}

// leftRequest returns the request of an attempt, if it names the record; otherwise nil.
func (r *Reader) leftRequest(ctx context.Context, wanted remedy.Request) (*metav1.PartialObjectMetadata, error) {
	if !makesRequest(wanted.Step) {
		return nil, nil
	}
	found := scaffold.MetadataOf(wanted.Kind())
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: wanted.Record.Namespace, Name: wanted.Name()}, found)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), meta.IsNoMatchError(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("getting %s %s: %w", wanted.Kind().Kind, wanted.Name(), err)
	case !ladder.IsOperationOf(wanted.Record.UID, found.Annotations[v1alpha1.OperationAnnotation]), found.DeletionTimestamp != nil:
		return nil, nil
	}
	return found, nil
}

// sweepRequest deletes a request that names the record.
func (r *Reconciler) sweepRequest(ctx context.Context, wanted remedy.Request) error {
	found, err := r.leftRequest(ctx, wanted)
	if found == nil {
		return err
	}
	r.logSwept(ctx, wanted.Record, found.Kind)
	_, err = remedy.WithdrawRequest(ctx, r.Client, found.Namespace, v1alpha1.RemediationObjectReference{
		APIVersion: found.APIVersion, Kind: found.Kind, Name: found.Name, UID: found.UID,
	})
	return err
}

// sweepMachine withdraws marks on the Machine itself. A mark does not name its record, so it stays if another record is open or an
// owner is at work.
func (r *Reconciler) sweepMachine(ctx context.Context, ended *v1alpha1.MachineRemediation, machine *clusterv1.Machine) error {
	if err := remedy.RemoveSign(ctx, r.Client, machine, ended.UID); err != nil {
		return err
	}
	if mark := onmachine.MarkOf(machine); !mark.Ours || !mark.Stands() || mark.State == ladder.MarkAnswered {
		return nil
	}
	all, err := recordstore.LiveOfMachines(ctx, r.Live, ended.Namespace, machine.UID)
	if err != nil || slices.ContainsFunc(all, func(other *v1alpha1.MachineRemediation) bool { return !ladder.Ended(other) }) {
		return err
	}
	r.logSwept(ctx, ended, "mark")
	return remedy.WithdrawMark(ctx, r.Client, machine)
}

// cycled reports whether the record had the host cycled, so that the Machine may still show it.
func cycled(ended *v1alpha1.MachineRemediation) bool {
	return slices.ContainsFunc(ended.Status.Attempts, func(attempt v1alpha1.RemediationAttempt) bool {
		step, _ := ladder.StepNamed(ended, attempt.Step)
		return step.Action == v1alpha1.ActionReboot
	})
}

func (r *Reconciler) logSwept(ctx context.Context, ended *v1alpha1.MachineRemediation, what string) {
	ctrl.LoggerFrom(ctx).Info("Withdrew what an ended remediation had left", "machine", ended.Spec.MachineRef.Name, "what", what)
}

// joinedMost limits how many attempts of one entry are looked for.
const joinedMost = 64

// unseenActs are the acts that may have been carried out without the record's knowledge: those of attempts that it does not list.
// Creating a record with a slot, or that needs none, is the intent for its first attempt.
func unseenActs(ended *v1alpha1.MachineRemediation) []remedy.Request {
	var list []remedy.Request
	add := func(name string, number int32, over *metav1.Time) {
		if step, ok := ladder.StepNamed(ended, name); ok && ladder.Acts(step.Action) {
			attempt := v1alpha1.RemediationAttempt{Number: number, Step: name, OperationID: ladder.OperationID(ended, number), EndTime: over}
			list = append(list, remedy.Request{Record: ended, Step: step, Attempt: attempt})
		}
	}
	for _, attempt := range ended.Status.Attempts {
		// An entry of several attempts that nobody began shows only one of them.
		if attempt.ObjectRef == nil || attempt.Count > 1 {
			add(attempt.Step, attempt.Number, attempt.EndTime)
		}
		for before := int32(1); before < min(attempt.Count, joinedMost); before++ {
			add(attempt.Step, attempt.Number-before, attempt.EndTime)
		}
	}
	if first, ok := ladder.NextStep(ended); ok && len(ended.Status.Attempts) == 0 && (ended.Spec.Grant > 0 || ended.Spec.AskedFor()) {
		add(first.Name, 1, nil)
	}
	return list
}
