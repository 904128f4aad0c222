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
