package remediation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// sweepTime is for how long what nobody has seen is tried to be taken back in vain; then the record goes all the same.
const sweepTime = time.Hour

// lateActs is for how long after the end of an attempt a former leader may still carry it out. It acts on a look that is at most
// lookLasts old, and the API server gives a write a minute.
const lateActs = lookLasts + time.Minute

// sweepRetry is how soon a record is looked at again that a pause keeps from that, or that waits for acts that may come late.
const sweepRetry = time.Minute

// sweep takes back what nobody has seen of a record that has ended: a former leader may have carried out an attempt after
// another one ended it, or may still do so. Once the finalizer is off, nobody would look for that again. It reports whether nothing
// is left to do: under a pause nothing is taken back.
func (r *Reconciler) sweep(ctx context.Context, ended *v1alpha1.MachineRemediation) (done bool, err error) {
	unseen := unseenActs(ended)
	if len(unseen) == 0 {
		return true, nil
	}
	machine, paused, err := r.sweepable(ctx, ended)
	if err != nil || paused {
		return false, err
	}
	for _, asked := range unseen {
		if err = r.sweepRequest(ctx, asked); err != nil {
			break
		}
	}
	if err == nil && machine != nil {
		err = r.sweepMachine(ctx, ended, machine)
	}
	now, key := r.Clock.Now(), client.ObjectKeyFromObject(ended)
	if err == nil {
		r.sweeps.Forget(key)
	} else if since := r.sweeps.Update(key, func(first time.Time) time.Time { return cmp.Or(first, now) }); now.Sub(since) >= sweepTime {
		ctrl.LoggerFrom(ctx).Error(err, "Gave up taking back what an ended remediation may have left", "machine", ended.Spec.MachineRef.Name)
		return true, nil
	}
	return err == nil && (machine == nil || !now.Before(lastAct(ended, unseen))), err
}

// lastAct is until when any of some acts may still be carried out. A person who deletes a record is not kept waiting: what comes late then
// gets a record of its own.
func lastAct(ended *v1alpha1.MachineRemediation, unseen []remedy.Asked) time.Time {
	last := time.Time{}
	if !ended.DeletionTimestamp.IsZero() {
		return last
	}
	for _, asked := range unseen {
		over := ended.Status.CompletionTime
		if asked.Attempt.EndTime != nil {
			over = asked.Attempt.EndTime
		}
		if due := over.Add(lateActs); due.After(last) {
			last = due
		}
	}
	return last
}

// sweepable reads the Machine of a record, and whether a pause leaves everything on it as it is. It returns nil for one that is
// gone, or being deleted: what is on it goes with it.
func (r *Reconciler) sweepable(ctx context.Context, ended *v1alpha1.MachineRemediation) (machine *clusterv1.Machine, paused bool, err error) {
	machine, err = machineOf(ctx, r.Live, ended)
	if err != nil || machine == nil || !machine.DeletionTimestamp.IsZero() {
		return nil, false, err
	}
	cluster, err := clusterOf(ctx, r.Live, ended)
	if err != nil || cluster == nil {
		return nil, false, err
	}
	return machine, mhcspec.ClusterPaused(cluster) || annotations.HasPaused(machine), nil
}

// sweepRequest deletes a request that names the record.
func (r *Reconciler) sweepRequest(ctx context.Context, asked remedy.Asked) error {
	if !makesRequest(asked.Record, asked.Step) {
		return nil
	}
	found := &metav1.PartialObjectMetadata{}
	found.SetGroupVersionKind(asked.Kind())
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: asked.Record.Namespace, Name: asked.Name()}, found)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), meta.IsNoMatchError(err):
		return nil
	case err != nil:
		return fmt.Errorf("getting %s %s: %w", asked.Kind().Kind, asked.Name(), err)
	case !strings.HasPrefix(found.Annotations[v1alpha1.OperationAnnotation], string(asked.Record.UID)+"/"), found.DeletionTimestamp != nil:
		return nil
	}
	r.swept(ctx, asked.Record, found.Kind)
	return remedy.WithdrawRequest(ctx, r.Client, found.Namespace, v1alpha1.RemediationObjectReference{
		APIVersion: found.APIVersion, Kind: found.Kind, Name: found.Name, UID: found.UID,
	})
}

// sweepMachine takes back what stands on the Machine itself. A mark does not say which record has made it, so it is left to
// another one that is open, and to an owner that is at work.
func (r *Reconciler) sweepMachine(ctx context.Context, ended *v1alpha1.MachineRemediation, machine *clusterv1.Machine) error {
	if strings.HasPrefix(machine.Annotations[remedy.RebootAnnotation], string(ended.UID)+"/") {
		r.swept(ctx, ended, remedy.RebootAnnotation)
		return remedy.WithdrawReboot(ctx, r.Client, machine)
	}
	if mark := markOf(machine); !mark.Ours || !mark.Stands() || mark.State == ladder.MarkAnswered {
		return nil
	}
	all, err := record.LiveOfMachine(ctx, r.Live, ended.Namespace, machine.UID)
	if err != nil || slices.ContainsFunc(all, func(other v1alpha1.MachineRemediation) bool { return !ladder.Ended(&other) }) {
		return err
	}
	r.swept(ctx, ended, "mark")
	return remedy.WithdrawMark(ctx, r.Client, machine)
}

func (r *Reconciler) swept(ctx context.Context, ended *v1alpha1.MachineRemediation, what string) {
	ctrl.LoggerFrom(ctx).Info("Took back what an ended remediation has left", "machine", ended.Spec.MachineRef.Name, "what", what)
}

// unseenActs are the acts of a record that may have been carried out without its knowledge: of the attempts that it knows nothing
// of. The creation of a record with a slot is the intent for its first attempt.
func unseenActs(ended *v1alpha1.MachineRemediation) []remedy.Asked {
	var list []remedy.Asked
	add := func(name string, number int32, over *metav1.Time) {
		i := slices.IndexFunc(ended.Spec.Steps, func(s v1alpha1.RemediationStep) bool { return s.Name == name })
		if i >= 0 && ladder.Acts(ended.Spec.Steps[i].Action) {
			attempt := v1alpha1.RemediationAttempt{Number: number, Step: name, OperationID: ladder.OperationID(ended, number), EndTime: over}
			list = append(list, remedy.Asked{Record: ended, Step: ended.Spec.Steps[i], Attempt: attempt})
		}
	}
	for _, attempt := range ended.Status.Attempts {
		if attempt.ObjectRef == nil {
			add(attempt.Step, attempt.Number, attempt.EndTime)
		}
	}
	if first, ok := ladder.NextStep(ended); ok && len(ended.Status.Attempts) == 0 && ended.Spec.Grant > 0 {
		add(first.Name, 1, nil)
	}
	return list
}
