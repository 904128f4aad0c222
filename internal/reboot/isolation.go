package reboot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// taintSince is the first version of Kubernetes that honours the taint.
var taintSince = version.MustParseGeneric("1.28")

// taintFacts adds whether the workload cluster honours the taint, and whether the Node is drained.
func (r reader) taintFacts(ctx context.Context, m *machine, facts cycle.NodeFacts) cycle.NodeFacts {
	info, err := r.nodes.Version(ctx, m.cluster)
	if err != nil {
		return unreadable(ctx, err, "asking the workload cluster for its version")
	}
	actual, err := version.ParseGeneric(strings.TrimSuffix(info.Major+"."+info.Minor, "+"))
	facts.TaintSupported = err == nil && actual.AtLeast(taintSince)
	if !facts.Tainted {
		return facts
	}
	facts.Drained, err = r.drained(ctx, m.cluster, facts.Node.Name)
	if err != nil {
		return unreadable(ctx, err, "checking whether Node "+facts.Node.Name+" is drained")
	}
	return facts
}

// drained reports whether no volume is attached to a Node, and only Pods that tolerate the taint are left on it.
func (r reader) drained(ctx context.Context, cluster client.ObjectKey, node string) (bool, error) {
	c, err := r.connect(ctx, cluster)
	if err != nil {
		return false, err
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node}); err != nil {
		return false, fmt.Errorf("listing the Pods of Node %s: %w", node, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp != nil || !tolerates(ctx, pod) {
			return false, nil
		}
	}
	attached, err := r.volumes.in(cluster).attached(ctx, c, node, r.clock.Now())
	return !attached, err
}

// tolerates reports whether a Pod tolerates the taint forever. A Pod that tolerates it for a limited time leaves in the end, but until
// then it keeps the Node from being drained.
func tolerates(ctx context.Context, pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
		return t.TolerationSeconds == nil && t.ToleratesTaint(ctrl.LoggerFrom(ctx), &cycle.OutOfService, false)
	})
}

// delete deletes a Node if it is unchanged since it was read, and so is as in the backup. It does not delete another Node of the same
// name, or one that somebody has changed since.
func (w nodeWriter) delete(ctx context.Context, node *corev1.Node) error {
	if err := w.Delete(ctx, node, client.Preconditions{UID: &node.UID, ResourceVersion: &node.ResourceVersion}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting Node %s: %w", node.Name, err)
	}
	return nil
}

func (w nodeWriter) taint(ctx context.Context, node *corev1.Node) error {
	return w.change(ctx, node, nil, map[string]any{"taints": append(slices.Clone(node.Spec.Taints), cycle.OutOfService)})
}

// untaint removes our taint, by key, value and effect.
func (w nodeWriter) untaint(ctx context.Context, node *corev1.Node) error {
	kept := slices.DeleteFunc(slices.Clone(node.Spec.Taints), cycle.OurTaint)
	return w.change(ctx, node, nil, map[string]any{"taints": kept})
}
