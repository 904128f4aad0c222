package intake

import (
	"context"
	"fmt"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

const (
	// EventRefused says on a Machine why nothing is done for an annotation that asks for a power cycle.
	EventRefused = "PowerCycleRefused"
	// EventUnsolved says on a Machine of OpenShift that power-cycling its host has not healed it, or that somebody else cycles hosts for its
	// health check, and that Sickbay does nothing more.
	EventUnsolved = "ExternalRemediationUnsolved"

	eventAction = "Intake"
)

// act does one thing.
func (r *Reconciler) act(ctx context.Context, v view, d ask.Decision) error {
	switch d.Act {
	case ask.Make:
		return r.makeRecord(ctx, v, d)
	case ask.Answer:
		return remedy.Answer(ctx, r.Client, v.machine, d.Key, d.Operation)
	case ask.Sweep:
		return remedy.RemoveSignOf(ctx, r.Client, v.machine, d.Key, d.Operation)
	case ask.Tell:
		return r.tell(ctx, d)
	case ask.Refuse:
		if key := client.ObjectKeyFromObject(v.machine); r.refused.Get(key) != d.Message {
			r.refused.Set(key, d.Message)
			r.Recorder.Eventf(v.machine, nil, corev1.EventTypeWarning, EventRefused, eventAction, "%s", d.Message)
		}
		return nil
	case ask.Note:
		return r.note(ctx, v, d)
	case ask.Settle:
		return r.annotate(ctx, v.machine, map[string]any{ask.External: nil, rebootannotation.Outcome: nil})
	case ask.Nothing:
	}
	return nil
}

// makeRecord makes a record. Two managers that do so at once choose one name.
func (r *Reconciler) makeRecord(ctx context.Context, v view, d ask.Decision) error {
	ordinal := 0
	for _, one := range v.facts.Records {
		ordinal = max(ordinal, record.Ordinal(one))
	}
	made := record.NewIn(v.machine.Namespace, v.cluster, ordinal+1, d.Spec)
	if filter := r.WatchFilter; filter != "" {
		made.Labels[clusterv1.WatchLabel] = filter
	}
	if d.QuorumLoss {
		made.Annotations[rebootannotation.AllowQuorumLoss] = "true"
	}
	if err := r.Client.Create(ctx, made, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("creating MachineRemediation %s: %w", client.ObjectKeyFromObject(made), err)
	}
	return nil
}

// tell writes what becomes of a request.
func (r *Reconciler) tell(ctx context.Context, d ask.Decision) error {
	request := d.Request.DeepCopy()
	request.Status.RecordRef = d.Record
	condition := d.Condition
	condition.LastTransitionTime = metav1.NewTime(r.Clock.Now().Truncate(time.Second))
	meta.SetStatusCondition(&request.Status.Conditions, condition)
	if err := r.Client.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("writing the status of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

// note writes what becomes of what OpenShift's health check asked for.
func (r *Reconciler) note(ctx context.Context, v view, d ask.Decision) error {
	change := map[string]any{rebootannotation.Outcome: nil}
	if d.Message != "" {
		change[rebootannotation.Outcome] = d.Message
	}
	if err := r.annotate(ctx, v.machine, change); err != nil {
		return err
	}
	if d.Unsolved {
		r.Recorder.Eventf(v.machine, nil, corev1.EventTypeWarning, EventUnsolved, eventAction, "%s", ownwrites.Note(d.Message))
	}
	return nil
}

// annotate changes annotations of a Machine of OpenShift, if it is unchanged since it was read.
func (r *Reconciler) annotate(ctx context.Context, machine *clusterv1.Machine, changes map[string]any) error {
	patched := &machinev1.Machine{ObjectMeta: *machine.ObjectMeta.DeepCopy()}
	if err := r.Client.Patch(ctx, patched, ownwrites.Annotations(patched, changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}

// showProgress shows the progress of a health check's request on the Machine, as Cluster API's contract for such requests demands: its controller
// sets the condition to waiting, and from then on we set it.
func (r *Reconciler) showProgress(ctx context.Context, v view) error {
	want := progressOf(v)
	if want == nil {
		return nil
	}
	has := meta.FindStatusCondition(v.machine.Status.Conditions, want.Type)
	if has != nil && has.Status == want.Status && has.Reason == want.Reason && has.Message == want.Message {
		return nil
	}
	if err := ownwrites.ApplyCondition(ctx, r.Client, FieldOwner, v.machine, *want); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("showing progress on machine %s: %w", client.ObjectKeyFromObject(v.machine), err)
	}
	return nil
}

// progressOf returns what to show on the Machine; nil if no health check of Cluster API has asked.
func progressOf(v view) *metav1.Condition {
	ref := v.facts.Machine.Ref
	for _, request := range v.facts.Requests {
		told := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
		if told == nil || ref.APIGroup != ClusterAPIKind.Group || !ask.OfHealthCheck(request, ref) {
			continue
		}
		condition := *told
		condition.Type, condition.ObservedGeneration = clusterv1.MachineExternallyRemediatedCondition, 0
		if condition.Status != metav1.ConditionTrue {
			condition.Status = metav1.ConditionFalse
		}
		return &condition
	}
	return nil
}
