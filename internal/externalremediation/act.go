package externalremediation

import (
	"context"
	"fmt"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// EventUnsolved says on an OpenShift Machine that power-cycling its host has not healed it, or that somebody else cycles hosts for
// the annotation, and that Sickbay does nothing more.
const EventUnsolved = "ExternalRemediationUnsolved"

const eventAction = "ExternalRemediation"

// act does one thing, and reports it.
func (r *Reconciler) act(ctx context.Context, v view, d Decision) error {
	if err := r.do(ctx, v, d); err != nil {
		return err
	}
	outcome := v.facts.Outcome
	if d.Action == Tell {
		outcome = d.Message
	}
	measure(v.machine, outcome != "" && d.Action != Settle)
	if d.Action == Nothing {
		return nil
	}
	ctrl.LoggerFrom(ctx).Info("Action carried out", "action", d.Action, "message", d.Message)
	if d.Action == Tell && d.Message != "" {
		r.Recorder.Eventf(v.machine, nil, corev1.EventTypeWarning, EventUnsolved, eventAction, "%s", ownwrites.Note(d.Message))
	}
	return nil
}

func (r *Reconciler) do(ctx context.Context, v view, d Decision) error {
	switch d.Action {
	case Create:
		return r.create(ctx, v.machine, v.facts.Free)
	case Withdraw:
		err := r.Client.Delete(ctx, v.facts.Request, client.Preconditions{UID: &v.facts.Request.UID})
		return client.IgnoreNotFound(err)
	case Settle:
		return r.annotate(ctx, v.machine, map[string]any{Annotation: nil, rebootannotation.Outcome: nil})
	case Tell:
		if d.Message == "" {
			return r.annotate(ctx, v.machine, map[string]any{rebootannotation.Outcome: nil})
		}
		return r.annotate(ctx, v.machine, map[string]any{rebootannotation.Outcome: d.Message})
	case Nothing:
	}
	return nil
}

func (r *Reconciler) create(ctx context.Context, machine *machinev1.Machine, name string) error {
	key := client.ObjectKey{Namespace: machine.Namespace, Name: name}
	request := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: Kind.GroupVersion().String(), Kind: Kind.Kind, Name: machine.Name, UID: machine.UID,
			}},
		},
		Spec: v1alpha1.RebootRemediationSpec{
			Machine:     &v1alpha1.MachineReference{APIGroup: Kind.Group, Name: machine.Name},
			RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck},
		},
	}
	if err := r.Client.Create(ctx, request, client.FieldOwner(FieldOwner)); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating RebootRemediation %s: %w", key, err)
	}
	return nil
}

// annotate changes annotations of a Machine, if it is unchanged since it was read.
func (r *Reconciler) annotate(ctx context.Context, machine *machinev1.Machine, changes map[string]any) error {
	if err := r.Client.Patch(ctx, machine, ownwrites.Annotations(machine, changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}
