package reboot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// act does what was decided: one write. Each is refused if what it rests on has changed since it was read.
func (r *Reconciler) act(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d Decision) error {
	if err := r.do(ctx, request, v, d); err != nil {
		return err
	}
	r.told.forget(client.ObjectKeyFromObject(request), d.Action)
	return nil
}

func (r *Reconciler) do(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d Decision) error {
	switch d.Action {
	case AddFinalizer:
		return r.setFinalizer(ctx, request, true)
	case RemoveFinalizer:
		if err := r.mirrorLast(ctx, request, v); err != nil {
			return err
		}
		return r.setFinalizer(ctx, request, false)
	case SetKey, RemoveKey, MarkHost, UnmarkHost:
		return r.actOnHost(ctx, v.host, request.UID, d)
	case DeleteNode, TaintNode, UntaintNode, RestoreNode:
		return r.actOnNode(ctx, v, d.Action)
	case MarkForOwner:
		if err := r.mirrorLast(ctx, request, v); err != nil {
			return err
		}
		return r.markForOwner(ctx, v.machine)
	case DropAsked, DropAll:
		return r.dropAsked(ctx, v, d)
	case Nothing:
	}
	return nil
}

// mirrorLast tells the Machine how it stands when the record, or the Machine, may be gone right afterwards. If the Machine
// has changed just now, it is told first; but the end does not depend on a Machine that cannot be told.
func (r *Reconciler) mirrorLast(ctx context.Context, request *v1alpha1.RebootRemediation, v view) error {
	if err := r.mirror(ctx, request, v); apierrors.IsConflict(err) {
		return err
	}
	return nil
}

func (r *Reconciler) setFinalizer(ctx context.Context, request *v1alpha1.RebootRemediation, want bool) error {
	before := request.DeepCopy()
	if want {
		controllerutil.AddFinalizer(request, Finalizer)
	}
	if !want {
		controllerutil.RemoveFinalizer(request, Finalizer)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := r.Client.Patch(ctx, request, patch, client.FieldOwner(FieldOwner))
	if apierrors.IsNotFound(err) && !want {
		return nil
	}
	if err != nil {
		return fmt.Errorf("changing the finalizer of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

func (r *Reconciler) actOnNode(ctx context.Context, v view, action Action) error {
	c, err := r.Workload.Client(ctx, v.machine.cluster)
	if err != nil {
		return fmt.Errorf("connecting to the workload cluster: %w", err)
	}
	node := v.facts.Node.Node
	switch action {
	case DeleteNode:
		return deleteNode(ctx, c, node)
	case TaintNode:
		return taintNode(ctx, c, node)
	case UntaintNode:
		return untaintNode(ctx, c, node)
	default:
		return restoreNode(ctx, c, node, v.facts.Status.Node.Backup)
	}
}

// markForOwner asks the owner to replace a Machine that cycling did not help.
func (r *Reconciler) markForOwner(ctx context.Context, m *machine) error {
	capi, ok := m.object.(*clusterv1.Machine)
	if !ok {
		return nil
	}
	return remedy.MarkUnjudged(ctx, r.Client, capi, r.Clock.Now())
}

// dropAsked takes the annotations of steps from a Machine, and at the end the one for all steps, if it asks for this cycle.
func (r *Reconciler) dropAsked(ctx context.Context, v view, d Decision) error {
	changes := map[string]any{}
	for key := range v.machine.object.GetAnnotations() {
		step, single := strings.CutPrefix(key, remedy.RebootAnnotation+"/")
		if single && slices.Contains(d.Done, v1alpha1.Step(step)) {
			changes[key] = nil
		}
		if key == remedy.RebootAnnotation && d.Action == DropAll && v.facts.Machine.Plain {
			changes[key] = nil
		}
	}
	return r.annotate(ctx, v.machine.object, changes)
}
