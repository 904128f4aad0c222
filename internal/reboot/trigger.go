package reboot

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// Trigger makes a RebootRemediation for each Machine of one kind that is annotated with reboot.metal3.io. What becomes
// of it, and of the annotations, is the Reconciler's business.
type Trigger struct {
	// Kind is that of the Machines.
	Kind   schema.GroupVersionKind
	Client client.Client
	// Live reads past the cache.
	Live        client.Reader
	Concurrency int
}

// Reconcile looks at one Machine.
func (t *Trigger) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	machine := &metav1.PartialObjectMetadata{}
	machine.SetGroupVersionKind(t.Kind)
	if err := t.Client.Get(ctx, req.NamespacedName, machine); err != nil {
		if apierrors.IsNotFound(err) {
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("getting machine %s: %w", req.NamespacedName, err)
	}
	if plain, steps := asked(machine); !machine.DeletionTimestamp.IsZero() || (!plain && len(steps) == 0) {
		return ctrl.Result{}, nil
	}
	request := &v1alpha1.RebootRemediation{}
	err := t.Live.Get(ctx, req.NamespacedName, request)
	switch {
	case apierrors.IsNotFound(err):
		return ctrl.Result{}, t.create(ctx, machine)
	case err != nil:
		return ctrl.Result{}, fmt.Errorf("getting RebootRemediation %s: %w", req.NamespacedName, err)
	case !finished(request):
		// It goes by the annotations as they are, or was asked for by somebody else and comes first.
		return ctrl.Result{}, nil
	case repeated(request, machine):
		return ctrl.Result{}, t.drop(ctx, machine)
	case owes(request, machine):
		return ctrl.Result{}, t.beginAnew(ctx, request, machine)
	}
	// An earlier cycle took its annotations away when it ended, so these ask for another one. Its record makes room.
	if err := t.Client.Delete(ctx, request, client.Preconditions{UID: &request.UID}); client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("deleting RebootRemediation %s: %w", req.NamespacedName, err)
	}
	return ctrl.Result{}, t.create(ctx, machine)
}

// finished tells whether a RebootRemediation was made for annotations, and is done with them.
func finished(request *v1alpha1.RebootRemediation) bool {
	return request.Status.Phase.Ended() && has(request, ByAnnotation) && !controllerutil.ContainsFinalizer(request, Finalizer)
}

// repeated reports whether a record asks for an attempt once more that was carried out.
func repeated(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	operation, by := remedy.RebootOperation(machine), requesterOf(&request.Spec, &request.Status)
	return operation != "" && by != nil && by.OperationID == operation
}

// drop takes the annotation for a full cycle from a Machine, if it is as it was read.
func (t *Trigger) drop(ctx context.Context, machine *metav1.PartialObjectMetadata) error {
	writer := &Reconciler{Client: t.Client}
	return writer.annotate(ctx, machine, map[string]any{remedy.RebootAnnotation: nil})
}

// owes tells whether a cycle that has ended owes the Node of a machine something: what it had, or to be in service again.
func owes(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	return owesNode(&request.Status) && request.Status.MachineUID == machine.UID
}

// beginAnew has the next cycle take over what the last one owes. With its record that would be lost. Who asks now may be somebody
// else than before.
func (t *Trigger) beginAnew(ctx context.Context, request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) error {
	request.Status = v1alpha1.RebootRemediationStatus{
		MachineUID: request.Status.MachineUID, Node: request.Status.Node, RequestedBy: requesterOn(machine),
	}
	if err := t.Client.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("beginning anew with RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

func (t *Trigger) create(ctx context.Context, machine *metav1.PartialObjectMetadata) error {
	request := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: machine.Namespace, Name: machine.Name,
			Annotations: map[string]string{ByAnnotation: ""},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: t.Kind.GroupVersion().String(), Kind: t.Kind.Kind, Name: machine.Name, UID: machine.UID,
			}},
		},
		Spec: v1alpha1.RebootRemediationSpec{
			Machine:     &v1alpha1.MachineReference{APIGroup: t.Kind.Group, Name: machine.Name},
			RequestedBy: requesterOn(machine),
		},
	}
	if err := t.Client.Create(ctx, request, client.FieldOwner(FieldOwner)); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating RebootRemediation %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}
