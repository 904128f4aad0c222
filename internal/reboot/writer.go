package reboot

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// FieldOwner is the field manager for writes to hosts, Nodes and Machines.
const FieldOwner = "sickbay-reboot"

// writer carries out decisions.
type writer struct {
	client.Client
	// live reads past the cache what must be unchanged.
	live     client.Reader
	workload workload.Writer
}

// writes returns what writes for this Reconciler.
func (r *Reconciler) writes() writer { return writer{r.Client, r.Live, r.Workload} }

// do carries out a decision: one write. The API server refuses it if the object has changed since it was read.
func (w writer) do(ctx context.Context, v observed, d cycle.Decision) error {
	if err := w.unchanged(ctx, v.request, d.Action); err != nil {
		return err
	}
	switch d.Action {
	case cycle.AddFinalizer, cycle.RemoveFinalizer, cycle.RemoveNodeFinalizer:
		return w.changeFinalizers(ctx, v, d.Action)
	case cycle.SetKey:
		return w.setKey(ctx, v.host, v.request.UID, d.ProbedAt)
	case cycle.RemoveKey:
		return w.removeKey(ctx, v.host, v.request.UID)
	case cycle.MarkHost:
		return w.markHost(ctx, v.host)
	case cycle.UnmarkHost:
		return w.unmarkHost(ctx, v.host)
	case cycle.DeleteNode, cycle.TaintNode, cycle.UntaintNode, cycle.RestoreNode:
		return w.changeNode(ctx, v, d.Action)
	case cycle.DropAsked, cycle.DropFull:
		return w.dropAsked(ctx, v.machine.object, d)
	case cycle.Nothing:
	}
	return nil
}

// unchanged reads the request live before an action that a later status may have made wrong, because the cache of a new leader may be far
// behind. If the request cannot be read, the host is released all the same; all other actions fail.
func (w writer) unchanged(ctx context.Context, request *v1alpha1.RebootRemediation, action cycle.Action) error {
	switch action {
	case cycle.AddFinalizer, cycle.RemoveFinalizer, cycle.RemoveNodeFinalizer, cycle.Nothing:
		return nil
	default:
		// Whatever else there is changes the host, the Node or the Machine.
	}
	latest, err := scaffold.Find(ctx, w.live, client.ObjectKeyFromObject(request), &v1alpha1.RebootRemediation{})
	switch {
	case (err != nil || latest == nil) && action == cycle.RemoveKey:
		return nil
	case err != nil:
		return err
	case latest == nil, latest.UID != request.UID, latest.ResourceVersion != request.ResourceVersion:
		return remedy.ErrChanged
	}
	return nil
}

// annotate changes annotations of an object, if it has not changed since it was read.
func (w writer) annotate(ctx context.Context, obj client.Object, changes map[string]any) error {
	if err := w.Patch(ctx, obj, ownwrites.Annotations(obj, changes), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating %T %s: %w", obj, client.ObjectKeyFromObject(obj), err)
	}
	return nil
}
