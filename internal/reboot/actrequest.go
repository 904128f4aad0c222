package reboot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// begin begins a cycle for the annotations of a Machine. All cycles in before are finished.
func (r *AnnotationReconciler) begin(ctx context.Context, before []*v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) error {
	last, free := lastOf(before, machine)
	switch {
	case last == nil:
	case owes(last, machine):
		return r.beginAnew(ctx, last)
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

// beginAnew reuses the last RebootRemediation for the next cycle, which takes over what the last one owes. Deleting it would lose
// that.
func (r *AnnotationReconciler) beginAnew(ctx context.Context, request *v1alpha1.RebootRemediation) error {
	request.Status = v1alpha1.RebootRemediationStatus{
		MachineUID: request.Status.MachineUID, Node: request.Status.Node, HostMarkedSince: request.Status.HostMarkedSince,
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
			RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation},
		},
	}
	if err := r.Client.Create(ctx, request, client.FieldOwner(FieldOwner)); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

// shows reports whether a Machine shows that a record has its host cycled.
func shows(machine *metav1.PartialObjectMetadata) bool {
	return machine != nil && machine.DeletionTimestamp.IsZero() && rebootannotation.IsSign(machine.Annotations[rebootannotation.Request])
}

// sweepSign removes what shows a power cycle on a Machine if its record has ended or is not here: it may have stayed behind in another
// management cluster. An open record removes its own.
func (r *AnnotationReconciler) sweepSign(ctx context.Context, machine *metav1.PartialObjectMetadata) error {
	uid, _, _ := strings.Cut(machine.Annotations[rebootannotation.Request], "/")
	records, err := record.LiveOfMachine(ctx, r.Live, machine.Namespace, machine.UID)
	if err != nil && !apierrors.IsNotFound(err) && !meta.IsNoMatchError(err) {
		return fmt.Errorf("looking for the record of the power cycle of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	if slices.ContainsFunc(records, func(one *v1alpha1.MachineRemediation) bool {
		return string(one.UID) == uid && one.Status.CompletionTime == nil
	}) {
		return nil
	}
	writer := &Reconciler{Client: r.Client}
	err = writer.annotate(ctx, machine, map[string]any{rebootannotation.Request: nil})
	if apierrors.IsConflict(err) {
		// The event of that change brings it here again.
		return nil
	}
	return client.IgnoreNotFound(err)
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
