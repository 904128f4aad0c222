package fault

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// MachineCondition sets a condition on a Machine, as another controller would.
//
// The effect is immediate. Each condition type has its own field owner, so the condition survives the
// patches of Cluster API, and Heal removes nothing else. For a type that Cluster API itself writes, such
// as NodeReady, the next patch of Cluster API wins.
type MachineCondition struct {
	Machine client.ObjectKey
	Type    string
	Status  metav1.ConditionStatus
	// Reason is the reason of the condition. Default "Fault".
	Reason  string
	Message string
	// Since is when it happened. Default: now.
	Since time.Time
}

// String implements Fault.
func (f MachineCondition) String() string {
	return fmt.Sprintf("machine %s: %s=%s", f.Machine, f.Type, f.Status)
}

// Inject implements Fault.
func (f MachineCondition) Inject(ctx context.Context, w *world.World) error {
	since := metav1.NewTime(f.Since)
	if since.IsZero() {
		since = w.Now()
	}
	reason := f.Reason
	if reason == "" {
		reason = "Fault"
	}
	return f.apply(ctx, w, map[string]any{"conditions": []any{map[string]any{
		"type":               f.Type,
		"status":             string(f.Status),
		"reason":             reason,
		"message":            f.Message,
		"lastTransitionTime": since.UTC().Format(time.RFC3339),
	}}})
}

// Heal implements Fault.
func (f MachineCondition) Heal(ctx context.Context, w *world.World) error {
	return ignoreNotFound(f.apply(ctx, w, map[string]any{}))
}

// apply replaces everything that this fault's field owner owns with status.
func (f MachineCondition) apply(ctx context.Context, w *world.World, status map[string]any) error {
	machine := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	machine.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	machine.SetNamespace(f.Machine.Namespace)
	machine.SetName(f.Machine.Name)
	owner := client.FieldOwner(annotationPrefix + f.Type)
	err := w.Client().Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(machine), owner, client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("applying condition %s to machine %s: %w", f.Type, f.Machine, err)
	}
	return nil
}
