package remedy

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/status"
)

// owner marks a Machine for the controller that owns it, by the condition
// OwnerRemediated. A MachineSet then replaces it; a control plane does so once it
// is safe.
type owner struct {
	client client.Client
	clock  clock.PassiveClock
}

// NeedsMark tells whether a Machine can be marked for its owner: a mark that is
// False already belongs to the owner, who writes into it how it goes on.
func NeedsMark(machine *clusterv1.Machine) bool {
	mark := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	return mark == nil || mark.Status == metav1.ConditionTrue
}

func (o owner) Apply(ctx context.Context, patient Patient) (string, error) {
	machine := patient.Machine
	controller := metav1.GetControllerOf(machine)
	if controller == nil {
		return "", fmt.Errorf("machine %s has no owner any more", client.ObjectKeyFromObject(machine))
	}
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type":               clusterv1.MachineOwnerRemediatedCondition,
		"status":             string(metav1.ConditionFalse),
		"reason":             clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
		"message":            "Waiting for remediation",
		"observedGeneration": machine.Generation,
		"lastTransitionTime": o.clock.Now().UTC().Format(time.RFC3339),
	}}}}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	u.SetNamespace(machine.Namespace)
	u.SetName(machine.Name)
	// Bound to what was just judged: if anything about the Machine has changed
	// since, the write is refused and the Machine is looked at again.
	u.SetResourceVersion(machine.ResourceVersion)
	err := o.client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(status.OwnerRemediatedFieldOwner), client.ForceOwnership)
	if apierrors.IsNotFound(err) {
		return "", ErrGone
	}
	if err != nil {
		return "", fmt.Errorf("marking machine %s for its owner: %w", client.ObjectKeyFromObject(machine), err)
	}
	return fmt.Sprintf("marked for remediation by %s %s", controller.Kind, controller.Name), nil
}
