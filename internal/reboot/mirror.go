package reboot

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// mirror tells progress on the Machine, as Cluster API's contract for remediation requests has it: whoever creates
// the request says that it waits, and the rest is ours to say. What is new is told before it is stored, so after a crash
// it is told again.
func (r *Reconciler) mirror(ctx context.Context, request *v1alpha1.RebootRemediation, before v1alpha1.RebootRemediationStatus) error {
	progress := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
	ref := referenceOf(request)
	if progress == nil || has(request, ByAnnotation) || ref.APIGroup != clusterv1.GroupVersion.Group {
		return nil
	}
	if told := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionSucceeded); equality.Semantic.DeepEqual(told, progress) {
		return nil
	}
	m, err := r.machine(ctx, request)
	if err != nil || m == nil || m.object.GetUID() != request.Status.MachineUID {
		// Another Machine of that name has nothing to do with this.
		return err
	}
	status := metav1.ConditionFalse
	if progress.Status == metav1.ConditionTrue {
		status = metav1.ConditionTrue
	}
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": clusterv1.MachineExternallyRemediatedCondition, "status": string(status),
		"reason": progress.Reason, "message": progress.Message,
		"lastTransitionTime": progress.LastTransitionTime.UTC().Format("2006-01-02T15:04:05Z"),
	}}}}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	u.SetNamespace(request.Namespace)
	u.SetName(ref.Name)
	u.SetResourceVersion(m.object.GetResourceVersion())
	err = r.Client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(FieldOwner), client.ForceOwnership)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("telling progress on machine %s: %w", ref.Name, err)
	}
	return nil
}
