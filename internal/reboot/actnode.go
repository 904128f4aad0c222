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
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// deleteNode deletes a Node if it is unchanged since it was read, and so is as in the backup. It does not delete another Node of the same
// name, or one that somebody has changed since.
func deleteNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	if err := c.Delete(ctx, node, client.Preconditions{UID: &node.UID, ResourceVersion: &node.ResourceVersion}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting Node %s: %w", node.Name, err)
	}
	return nil
}

func taintNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	return patchNode(ctx, c, node, nil, map[string]any{"taints": append(slices.Clone(node.Spec.Taints), cycle.OutOfService)})
}

// untaintNode removes our taint, by key, value and effect.
func untaintNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	kept := slices.DeleteFunc(slices.Clone(node.Spec.Taints), cycle.OurTaint)
	return patchNode(ctx, c, node, nil, map[string]any{"taints": kept})
}

// restoreNode puts back what is missing. If the workload cluster refuses all of it at once, restoreNode tries each part alone, so that
// one refused part does not block the others. The error names the refused parts.
func restoreNode(ctx context.Context, c client.Client, node *corev1.Node, backup *v1alpha1.NodeBackup) error {
	missing := cycle.Missing(backup, node)
	err := putBack(ctx, c, node, missing)
	if !refused(err) {
		return err
	}
	var left []string
	current := node
	for _, part := range missing.Each() {
		if err = putBack(ctx, c, current, part); err != nil && !refused(err) {
			return err
		}
		if err != nil {
			left = append(left, part.String()+" ("+err.Error()+")")
			continue
		}
		current = current.DeepCopy()
		if err := c.Get(ctx, client.ObjectKeyFromObject(node), current); err != nil {
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
func putBack(ctx context.Context, c client.Client, node *corev1.Node, missing cycle.MissingParts) error {
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
	return patchNode(ctx, c, node, metadata, spec)
}

// patchNode changes a Node, if it is unchanged since it was read.
func patchNode(ctx context.Context, c client.Client, node *corev1.Node, metadata, spec map[string]any) error {
	patch := ownwrites.MergePatch{Of: node, Metadata: metadata, Spec: spec}
	if err := c.Patch(ctx, node.DeepCopy(), patch, client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("changing Node %s: %w", node.Name, err)
	}
	return nil
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
	name := request.Status.Node.Name
	node := &corev1.Node{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, node)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("the Node %s is not there, so nothing can be put back on it yet", name)
	}
	if err != nil {
		return fmt.Errorf("reading Node %s: %w", name, err)
	}
	if cycle.Tainted(node) {
		if err := untaintNode(ctx, c, node); err != nil {
			return err
		}
		if err := c.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
			return fmt.Errorf("reading Node %s again: %w", name, err)
		}
	}
	if backup := request.Status.Node.Backup; backup != nil && len(cycle.Missing(backup, node).Each()) > 0 {
		return restoreNode(ctx, c, node, backup)
	}
	return nil
}
