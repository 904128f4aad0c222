package reboot

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// hastyRead bounds a read of the Node while the host is not off yet: the Node's identity is useful, but not worth waiting for a
// workload cluster that hangs.
const hastyRead = 2 * time.Second

// observeNode reads the Node. It does not wait if enough workers are busy with that workload cluster already.
func (r reader) observeNode(ctx context.Context, v *observed, place *clusterPlace) (err error) {
	if v.machine == nil || !cycle.NeedsNode(&v.facts) {
		return nil
	}
	if err = place.take(v.machine.cluster); err == nil {
		v.facts.Node, err = r.nodeInTime(ctx, v.request, v.machine)
	}
	if err != nil {
		if v.request.Status.Phase == v1alpha1.Pending && !v.facts.Deleting {
			return err
		}
		// Deadlines go on passing, and the host is released in time. But no cycle begins: the Node may be back.
		const busy = "Too many others are waiting for the workload cluster"
		v.facts.Node, v.facts.Throttled = cycle.NodeFacts{State: cycle.NodeUnreadable, Cause: busy}, busy
	}
	return nil
}

func (r reader) nodeInTime(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (cycle.NodeFacts, error) {
	if request.Status.Phase == v1alpha1.Pending {
		hasty, cancel := context.WithTimeout(ctx, hastyRead)
		defer cancel()
		ctx = hasty
	}
	return r.node(ctx, request, m)
}

// node reads the Node of a Machine live. It reads only what the phase needs: until the host is off, a dead workload cluster must not
// hold up the cycle. Its only error is workload.ErrNoPlace.
func (r reader) node(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (cycle.NodeFacts, error) {
	name := nodeName(request, m)
	if name == "" {
		return cycle.NodeFacts{State: cycle.NodeNone}, nil
	}
	node, err := r.nodes.GetLive(ctx, m.cluster, name)
	switch {
	case apierrors.IsNotFound(err):
		return cycle.NodeFacts{State: cycle.NodeGone}, nil
	case errors.Is(err, workload.ErrBusy):
		return cycle.NodeFacts{}, workload.ErrNoPlace
	case err != nil:
		return unreadable(ctx, err, "reading Node "+name), nil
	}
	facts := cycle.NodeFacts{State: cycle.NodeFound, Node: node, Tainted: cycle.Tainted(node)}
	if phase := request.Status.Phase; !cycle.TaintsNode(&request.Spec, &request.Status) || (phase != v1alpha1.Fenced && phase != v1alpha1.Isolating) {
		return facts, nil
	}
	return r.taintFacts(ctx, m, facts), nil
}

func nodeName(request *v1alpha1.RebootRemediation, m *machine) string {
	if request.Status.Node != nil {
		return request.Status.Node.Name
	}
	return m.node
}

// unreadable turns an error of a workload cluster into facts for a decision. Whatever is wrong there, the cycle does not wait past
// its deadline.
func unreadable(ctx context.Context, err error, doing string) cycle.NodeFacts {
	ctrl.LoggerFrom(ctx).Info("The workload cluster cannot be read", "doing", doing, "cause", err.Error())
	cause, known := workload.Unreadable(err)
	reason := apierrors.ReasonForError(err)
	switch {
	case known:
	case reason != metav1.StatusReasonUnknown:
		cause = "the workload cluster refuses it: " + string(reason)
	default:
		cause = "the workload cluster does not answer"
	}
	return cycle.NodeFacts{State: cycle.NodeUnreadable, Cause: cause}
}

// nodeWriter writes to Nodes with a client of their workload cluster.
type nodeWriter struct{ client.Client }

// changeNode carries out an action on the Node.
func (w writer) changeNode(ctx context.Context, v observed, action cycle.Action) error {
	c, err := w.workload.Client(ctx, v.machine.cluster)
	if err != nil {
		return fmt.Errorf("connecting to the workload cluster: %w", err)
	}
	nodes, node := nodeWriter{c}, v.facts.Node.Node
	switch action {
	case cycle.DeleteNode:
		return nodes.delete(ctx, node)
	case cycle.TaintNode:
		return nodes.taint(ctx, node)
	case cycle.UntaintNode:
		return nodes.untaint(ctx, node)
	default:
		return nodes.restore(ctx, node, v.facts.Status.Node.Backup)
	}
}

// change changes a Node, if it is unchanged since it was read.
func (w nodeWriter) change(ctx context.Context, node *corev1.Node, metadata, spec map[string]any) error {
	patch := ownwrites.MergePatch{Of: node, Metadata: metadata, Spec: spec}
	if err := w.Patch(ctx, node.DeepCopy(), patch, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("changing Node %s: %w", node.Name, err)
	}
	return nil
}
