package reboot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// deleteNode deletes a Node as it was read, and as it is in the backup. Another one of the same name, or one that has
// got something since, is not deleted.
func deleteNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	if err := c.Delete(ctx, node, client.Preconditions{UID: &node.UID, ResourceVersion: &node.ResourceVersion}); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting Node %s: %w", node.Name, err)
	}
	return nil
}

func taintNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	return patchNode(ctx, c, node, nil, map[string]any{"taints": append(slices.Clone(node.Spec.Taints), cycle.OutOfService)})
}

// untaintNode takes away our taint, by key, value and effect.
func untaintNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	kept := slices.DeleteFunc(slices.Clone(node.Spec.Taints), cycle.OurTaint)
	return patchNode(ctx, c, node, nil, map[string]any{"taints": kept})
}

// restoreNode puts back what is missing. If the workload cluster refuses it, it is put back one by one, so that nothing is refused on
// account of something else. The error names what was refused.
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

// refused tells that the workload cluster will not have what was written, whoever tries again.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// putBack writes parts of a backup to a Node as it was read.
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
	return patchNode(ctx, c, node, metadata, spec)
}

// patchNode changes a Node, if it is as it was read.
func patchNode(ctx context.Context, c client.Client, node *corev1.Node, metadata, spec map[string]any) error {
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["uid"], metadata["resourceVersion"] = node.UID, node.ResourceVersion
	patch, err := json.Marshal(map[string]any{"metadata": metadata, "spec": spec})
	if err != nil {
		return fmt.Errorf("encoding a change of Node %s: %w", node.Name, err)
	}
	if err := c.Patch(ctx, node.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("changing Node %s: %w", node.Name, err)
	}
	return nil
}
