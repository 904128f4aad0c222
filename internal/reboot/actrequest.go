package reboot

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// begin begins a cycle for the annotations of a Machine. All cycles in before are finished.
func (r *AnnotationReconciler) begin(ctx context.Context, before []*v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) error {
	if slices.ContainsFunc(before, func(r *v1alpha1.RebootRemediation) bool { return repeated(r, machine) }) {
		return r.drop(ctx, machine)
	}
	last, free := lastOf(before, machine)
	switch {
	case last == nil:
	case owes(last, machine):
		return r.beginAnew(ctx, last, machine)
	default:
		// Delete its request, so that the name is free.
		if err := r.Client.Delete(ctx, last, client.Preconditions{UID: &last.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting RebootRemediation %s: %w", client.ObjectKeyFromObject(last), err)
		}
		return r.create(ctx, machine, last.Name)
	}
	if free == "" {
		// Wait: the deletion of one of them is an event.
		return nil
	}
	return r.create(ctx, machine, free)
}

// drop removes the annotation for a full cycle from a Machine, if the Machine is unchanged since it was read.
func (r *AnnotationReconciler) drop(ctx context.Context, machine *metav1.PartialObjectMetadata) error {
	writer := &Reconciler{Client: r.Client}
	return writer.annotate(ctx, machine, map[string]any{rebootannotation.Request: nil})
}

// beginAnew reuses the last RebootRemediation for the next cycle, which takes over what the last one owes. Deleting it would lose
// that. The new requester may be somebody else.
func (r *AnnotationReconciler) beginAnew(ctx context.Context, request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) error {
	request.Status = v1alpha1.RebootRemediationStatus{
		MachineUID: request.Status.MachineUID, Node: request.Status.Node, HostMarkedSince: request.Status.HostMarkedSince,
		RequestedBy: requesterOn(machine),
	}
	if err := r.Client.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("starting again with RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

func (r *AnnotationReconciler) create(ctx context.Context, machine *metav1.PartialObjectMetadata, name string) error {
	request := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: machine.Namespace, Name: name,
			Annotations: map[string]string{ByAnnotation: ""},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: r.Kind.GroupVersion().String(), Kind: r.Kind.Kind, Name: machine.Name, UID: machine.UID,
			}},
		},
		Spec: v1alpha1.RebootRemediationSpec{
			Machine:     &v1alpha1.MachineReference{APIGroup: r.Kind.Group, Name: machine.Name},
			RequestedBy: requesterOn(machine),
		},
	}
	if err := r.Client.Create(ctx, request, client.FieldOwner(FieldOwner)); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

// store writes the status, and announces what has changed in it.
func (r *Reconciler) store(ctx context.Context, request *v1alpha1.RebootRemediation, status v1alpha1.RebootRemediationStatus) error {
	before := request.Status
	request.Status = status
	if err := r.Client.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("writing the status of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	r.expectations.Expect(request)
	measure(before, status)
	r.announce(ctx, request, before)
	return nil
}
