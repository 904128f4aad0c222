package reboot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// act carries out a decision: one write. The API server refuses it if the object has changed since it was read.
func (r *Reconciler) act(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d cycle.Decision) error {
	if err := r.do(ctx, request, v, d); err != nil {
		return err
	}
	r.failures.Succeed(client.ObjectKeyFromObject(request), d.Action)
	return nil
}

func (r *Reconciler) do(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d cycle.Decision) error {
	if err := r.unchanged(ctx, request, d.Action); err != nil {
		return err
	}
	switch d.Action {
	case cycle.AddFinalizer, cycle.RemoveFinalizer, cycle.RemoveNodeFinalizer:
		return r.changeFinalizers(ctx, request, v, d.Action)
	case cycle.SetKey, cycle.RemoveKey, cycle.MarkHost, cycle.UnmarkHost:
		return r.actOnHost(ctx, v.host, request.UID, d)
	case cycle.DeleteNode, cycle.TaintNode, cycle.UntaintNode, cycle.RestoreNode:
		return r.actOnNode(ctx, v, d.Action)
	case cycle.DropAsked, cycle.DropAll:
		return r.dropAsked(ctx, v, d)
	case cycle.Nothing:
	}
	return nil
}

func (r *Reconciler) changeFinalizers(ctx context.Context, request *v1alpha1.RebootRemediation, v view, action cycle.Action) error {
	if action == cycle.AddFinalizer {
		return r.setFinalizers(ctx, request, true, true)
	}
	if action == cycle.RemoveNodeFinalizer {
		r.announceNodeGivenUp(request, v)
		return r.setFinalizers(ctx, request, false, false)
	}
	return r.setFinalizers(ctx, request, false, cycle.OwesAnything(&request.Status) && !v.facts.Machine.Gone)
}

// unchanged reads the request live before an action that a later status may have made wrong, because the cache of a new leader may be far
// behind. If the request cannot be read, the host is released all the same; all other actions fail.
func (r *Reconciler) unchanged(ctx context.Context, request *v1alpha1.RebootRemediation, action cycle.Action) error {
	switch action {
	case cycle.SetKey, cycle.RemoveKey, cycle.MarkHost, cycle.UnmarkHost, cycle.DeleteNode, cycle.TaintNode, cycle.UntaintNode, cycle.RestoreNode, cycle.DropAsked, cycle.DropAll:
	default:
		return nil
	}
	latest := &v1alpha1.RebootRemediation{}
	switch err := r.Live.Get(ctx, client.ObjectKeyFromObject(request), latest); {
	case err != nil && action == cycle.RemoveKey:
		return nil
	case apierrors.IsNotFound(err):
		return remedy.ErrChanged
	case err != nil:
		return fmt.Errorf("getting RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	if latest.UID != request.UID || latest.ResourceVersion != request.ResourceVersion {
		return remedy.ErrChanged
	}
	return nil
}

// announceNodeGivenUp emits an event if a deleted RebootRemediation stayed for its Node and the Node did not come back into service.
func (r *Reconciler) announceNodeGivenUp(request *v1alpha1.RebootRemediation, v view) {
	if m := v.facts.Machine; !cycle.OwesNode(&request.Status) || m.Gone || (v.facts.MachineUnreadable == "" && m.UID != request.Status.MachineUID) {
		return
	}
	r.Recorder.Eventf(request, nil, corev1.EventTypeWarning, EventNodeGivenUp, eventAction,
		"Node %s did not come back into service in time; Sickbay leaves it as it is", request.Status.Node.Name)
}

// setFinalizers sets or removes the finalizers that keep a RebootRemediation for its host and for its Node.
func (r *Reconciler) setFinalizers(ctx context.Context, request *v1alpha1.RebootRemediation, forHost, forNode bool) error {
	before := request.DeepCopy()
	for finalizer, want := range map[string]bool{cycle.Finalizer: forHost, cycle.NodeFinalizer: forNode} {
		if !want {
			controllerutil.RemoveFinalizer(request, finalizer)
			continue
		}
		// The API server refuses new finalizers on an object that is being deleted.
		if request.DeletionTimestamp.IsZero() {
			controllerutil.AddFinalizer(request, finalizer)
		}
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := r.Client.Patch(ctx, request, patch, client.FieldOwner(FieldOwner))
	if apierrors.IsNotFound(err) && !forHost {
		return nil
	}
	if err != nil {
		return fmt.Errorf("changing the finalizers of RebootRemediation %s: %w", client.ObjectKeyFromObject(request), err)
	}
	return nil
}

func (r *Reconciler) actOnNode(ctx context.Context, v view, action cycle.Action) error {
	c, err := r.Workload.Client(ctx, v.machine.cluster)
	if err != nil {
		return fmt.Errorf("connecting to the workload cluster: %w", err)
	}
	node := v.facts.Node.Node
	switch action {
	case cycle.DeleteNode:
		return deleteNode(ctx, c, node)
	case cycle.TaintNode:
		return taintNode(ctx, c, node)
	case cycle.UntaintNode:
		return untaintNode(ctx, c, node)
	default:
		return restoreNode(ctx, c, node, v.facts.Status.Node.Backup)
	}
}

// dropAsked removes the annotations of finished steps from a Machine, and at the end the one for all steps. A sign stays.
func (r *Reconciler) dropAsked(ctx context.Context, v view, d cycle.Decision) error {
	changes := map[string]any{}
	for key, value := range v.machine.object.GetAnnotations() {
		step, single := strings.CutPrefix(key, rebootannotation.Request+"/")
		if single && slices.Contains(d.Done, v1alpha1.Step(step)) {
			changes[key] = nil
		}
		if key == rebootannotation.Request && d.Action == cycle.DropAll && !rebootannotation.IsSign(value) {
			changes[key] = nil
		}
	}
	return r.annotate(ctx, v.machine.object, changes)
}
