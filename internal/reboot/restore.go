package reboot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// restore puts back what is missing. If the workload cluster refuses all of it at once, restore tries each part alone, so that
// one refused part does not block the others. The error names the refused parts.
func (w nodeWriter) restore(ctx context.Context, node *corev1.Node, backup *v1alpha1.NodeBackup) error {
	missing := cycle.Missing(backup, node)
	err := w.putBack(ctx, node, missing)
	if !refused(err) {
		return err
	}
	var left []string
	current := node
	for _, part := range missing.Each() {
		if err = w.putBack(ctx, current, part); err != nil && !refused(err) {
			return err
		}
		if err != nil {
			left = append(left, part.String()+" ("+err.Error()+")")
			continue
		}
		current = current.DeepCopy()
		if err := w.Get(ctx, client.ObjectKeyFromObject(node), current); err != nil {
			return fmt.Errorf("reading Node %s again: %w", node.Name, err)
		}
		if current.UID != node.UID {
			return remedy.ErrChanged
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("the workload cluster refuses to put back on Node %s: %s", node.Name, strings.Join(left, "; "))
}

// refused reports whether the workload cluster would refuse a write again, however often it is repeated.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// putBack writes parts of a backup to a Node, if it is unchanged since it was read.
func (w nodeWriter) putBack(ctx context.Context, node *corev1.Node, missing cycle.MissingParts) error {
	metadata, spec := map[string]any{}, map[string]any{}
	if len(missing.Labels) > 0 {
		metadata["labels"] = missing.Labels
	}
	if len(missing.Annotations) > 0 {
		metadata["annotations"] = missing.Annotations
	}
	if len(missing.Taints) > 0 {
		spec["taints"] = append(slices.Clone(node.Spec.Taints), missing.Taints...)
	}
	if missing.Cordon {
		spec["unschedulable"] = true
	}
	if missing.ProviderID != "" {
		spec["providerID"] = missing.ProviderID
	}
	return w.change(ctx, node, metadata, spec)
}

// NodeOwed says what a RebootRemediation still owes its Node: to remove our taint, and to put back what the Node had. It is empty if it
// owes nothing.
func NodeOwed(request *v1alpha1.RebootRemediation, node *corev1.Node) (what string) {
	if !cycle.OwesNode(&request.Status) {
		return ""
	}
	if cycle.Tainted(node) {
		what = "the taint " + cycle.OutOfService.Key
	}
	if backup := request.Status.Node.Backup; backup != nil {
		for _, part := range cycle.Missing(backup, node).Each() {
			if what != "" {
				what += ", "
			}
			what += part.String()
		}
	}
	return what
}

// ReleaseNode puts the Node of a RebootRemediation back in service, with a client of the workload cluster, for use when no controller
// runs. It returns an error if the Node does not exist, because it may still come.
func ReleaseNode(ctx context.Context, c client.Client, request *v1alpha1.RebootRemediation) error {
	if !cycle.OwesNode(&request.Status) {
		return nil
	}
	return nodeWriter{c}.release(ctx, request.Status.Node)
}

// release takes our taint from a Node, and puts back what the Node had.
func (w nodeWriter) release(ctx context.Context, owed *v1alpha1.NodeRecord) error {
	node := &corev1.Node{}
	err := w.Get(ctx, client.ObjectKey{Name: owed.Name}, node)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("the Node %s is not there, so nothing can be put back on it yet", owed.Name)
	}
	if err != nil {
		return fmt.Errorf("reading Node %s: %w", owed.Name, err)
	}
	if cycle.Tainted(node) {
		if err := w.untaint(ctx, node); err != nil {
			return err
		}
		if err := w.Get(ctx, client.ObjectKey{Name: owed.Name}, node); err != nil {
			return fmt.Errorf("reading Node %s again: %w", owed.Name, err)
		}
	}
	if owed.Backup != nil && len(cycle.Missing(owed.Backup, node).Each()) > 0 {
		return w.restore(ctx, node, owed.Backup)
	}
	return nil
}
