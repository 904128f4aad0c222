package reboot

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// Trigger makes a RebootRemediation for each Machine of one kind that is annotated with reboot.metal3.io. What becomes
// of it, and of the annotations, is the Reconciler's business.
type Trigger struct {
	// Kind is that of the Machines.
	Kind   schema.GroupVersionKind
	Client client.Client
	// Live reads past the cache.
	Live client.Reader
	// WatchFilter, if set, is the value that the label cluster.x-k8s.io/watch-filter must have.
	WatchFilter string
	Concurrency int
}

// Reconcile looks at one Machine.
func (t *Trigger) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached, err := t.machine(ctx, t.Client, req.NamespacedName)
	if err != nil || !wantsAny(cached) {
		return ctrl.Result{}, err
	}
	k := keeper{filter: t.WatchFilter, kind: t.Kind, cached: t.Client, live: t.Live}
	foreign, err := k.foreign(ctx, req.NamespacedName, false)
	if err != nil || foreign {
		return ctrl.Result{}, err
	}
	before, err := t.requests(ctx, cached)
	if err != nil {
		return ctrl.Result{}, err
	}
	if slices.ContainsFunc(before, func(r *v1alpha1.RebootRemediation) bool { return !finished(r) }) {
		// It goes by the annotations as they are.
		return ctrl.Result{}, nil
	}
	first, err := t.first(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	// A cycle takes its annotations away before it is finished, which the cache may not know yet.
	machine, err := t.machine(ctx, t.Live, req.NamespacedName)
	if err != nil || !wantsAny(machine) || machine.UID != cached.UID || comesFirst(first, machine) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, t.begin(ctx, before, machine)
}

// first reads the RebootRemediation of the name of a Machine, which a health check has asked for, or a person; nil if there is none.
func (t *Trigger) first(ctx context.Context, key client.ObjectKey) (*v1alpha1.RebootRemediation, error) {
	request := &v1alpha1.RebootRemediation{}
	err := t.Live.Get(ctx, key, request)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting RebootRemediation %s: %w", key, err)
	}
	return request, nil
}

// comesFirst reports whether the annotations wait for a RebootRemediation that was made for something else. It may be all that a person has
// asked for, and then it takes the annotation away before it is finished. They do not wait for one that waits for a pause to end. What a
// health check asks for by annotation waits until another health check has deleted the one that has helped.
func comesFirst(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	if request == nil || has(request, ByAnnotation) || cycle.StandsBack(&request.Status) {
		return false
	}
	if request.Status.Phase != v1alpha1.Succeeded {
		return !request.Status.Phase.Ended()
	}
	_, steps := asked(machine)
	ofHealthChecks := len(steps) == 0 && remedy.RebootRequestedByHealthCheck(machine) && byHealthCheck(request, machine)
	return ofHealthChecks || !finished(request)
}

// begin begins a cycle for the annotations of a Machine, after those that were made before and are finished.
func (t *Trigger) begin(ctx context.Context, before []*v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) error {
	if slices.ContainsFunc(before, func(r *v1alpha1.RebootRemediation) bool { return repeated(r, machine) }) {
		return t.drop(ctx, machine)
	}
	last, free := lastOf(before, machine)
	switch {
	case last == nil:
	case !owes(last, machine):
		// Its record makes room.
		if err := t.Client.Delete(ctx, last, client.Preconditions{UID: &last.UID}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting RebootRemediation %s: %w", client.ObjectKeyFromObject(last), err)
		}
		if last.Name != machine.Name {
			return t.create(ctx, machine, last.Name)
		}
	case last.Name != machine.Name:
		return t.beginAnew(ctx, last, machine)
	}
	if free == "" {
		// One of them goes before long, which is an event.
		return nil
	}
	return t.create(ctx, machine, free)
}

// lastOf returns the RebootRemediation after which the next one begins, nil if there is none, and the name that one may have. One that
// was deleted, and stays for its Node, is nothing to begin with: what it owes is taken over from it.
func lastOf(before []*v1alpha1.RebootRemediation, machine metav1.Object) (last *v1alpha1.RebootRemediation, free string) {
	names := RequestNames(machine, askedPurpose)
	for _, request := range before {
		names = slices.DeleteFunc(names, func(name string) bool { return name == request.Name })
		if last == nil && request.DeletionTimestamp.IsZero() {
			last = request
		}
	}
	if len(names) == 0 {
		return last, ""
	}
	return last, names[0]
}

// machine reads a Machine; nil if there is none.
func (t *Trigger) machine(ctx context.Context, reader client.Reader, key client.ObjectKey) (*metav1.PartialObjectMetadata, error) {
	machine := &metav1.PartialObjectMetadata{}
	machine.SetGroupVersionKind(t.Kind)
	err := reader.Get(ctx, key, machine)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting machine %s: %w", key, err)
	}
	return machine, nil
}

// wantsAny reports whether a Machine asks for anything.
func wantsAny(machine *metav1.PartialObjectMetadata) bool {
	if machine == nil || !machine.DeletionTimestamp.IsZero() {
		return false
	}
	plain, steps := asked(machine)
	return plain || len(steps) > 0
}

// requests reads, past the cache, what was made for annotations of a Machine. The version before gave it the name of the Machine.
func (t *Trigger) requests(ctx context.Context, machine *metav1.PartialObjectMetadata) ([]*v1alpha1.RebootRemediation, error) {
	var made []*v1alpha1.RebootRemediation
	for _, name := range append(RequestNames(machine, askedPurpose), machine.Name) {
		request, key := &v1alpha1.RebootRemediation{}, client.ObjectKey{Namespace: machine.Namespace, Name: name}
		err := t.Live.Get(ctx, key, request)
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("getting RebootRemediation %s: %w", key, err)
		}
		if err == nil && has(request, ByAnnotation) {
			made = append(made, request)
		}
	}
	return made, nil
}

// finished reports whether a RebootRemediation that was made for annotations is done with them.
func finished(request *v1alpha1.RebootRemediation) bool {
	return request.Status.Phase.Ended() && !controllerutil.ContainsFinalizer(request, Finalizer)
}

// repeated reports whether a record asks for an attempt once more that was carried out.
func repeated(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	operation, by := remedy.RebootOperation(machine), cycle.RequesterOf(&request.Spec, &request.Status)
	return operation != "" && by != nil && by.OperationID == operation
}

// drop takes the annotation for a full cycle from a Machine, if it is as it was read.
func (t *Trigger) drop(ctx context.Context, machine *metav1.PartialObjectMetadata) error {
	writer := &Reconciler{Client: t.Client}
	return writer.annotate(ctx, machine, map[string]any{remedy.RebootAnnotation: nil})
}

// owes reports whether a cycle that has ended owes the Node of a machine something, what it had or to be in service again, or its host.
func owes(request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) bool {
	return cycle.OwesAnything(&request.Status) && request.Status.MachineUID == machine.UID
}

// beginAnew has the next cycle take over what the last one owes. With its record that would be lost. Who asks now may be somebody
// else than before.
func (t *Trigger) beginAnew(ctx context.Context, request *v1alpha1.RebootRemediation, machine *metav1.PartialObjectMetadata) error {
	request.Status = v1alpha1.RebootRemediationStatus{
		MachineUID: request.Status.MachineUID, Node: request.Status.Node, HostMarkedSince: request.Status.HostMarkedSince,
		RequestedBy: requesterOn(machine),
	}
	if err := t.Client.Status().Update(ctx, request, client.FieldOwner(FieldOwner)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("beginning anew with RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

func (t *Trigger) create(ctx context.Context, machine *metav1.PartialObjectMetadata, name string) error {
	request := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: machine.Namespace, Name: name,
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
		return fmt.Errorf("creating RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}
