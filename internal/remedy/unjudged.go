package remedy

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/status"
)

// MarkUnjudged leaves a Machine to the controller that owns it, whatever its verdict: a power cycle without a record has
// not helped it, and whoever asked for that may not be Sickbay. The write is refused with ErrChanged if anything about the
// Machine has changed since it was read.
func MarkUnjudged(ctx context.Context, c client.Client, machine *clusterv1.Machine, now time.Time) error {
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type":               clusterv1.MachineOwnerRemediatedCondition,
		"status":             string(metav1.ConditionFalse),
		"reason":             clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
		"message":            "Waiting for remediation",
		"observedGeneration": machine.Generation,
		"lastTransitionTime": now.UTC().Format(time.RFC3339),
	}}}}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	u.SetNamespace(machine.Namespace)
	u.SetName(machine.Name)
	u.SetResourceVersion(machine.ResourceVersion)
	err := c.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(status.RebootMarkFieldOwner), client.ForceOwnership)
	if changed(err) {
		return fmt.Errorf("marking machine %s: %w: %w", client.ObjectKeyFromObject(machine), ErrChanged, err)
	}
	if err != nil {
		return fmt.Errorf("marking machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return nil
}
