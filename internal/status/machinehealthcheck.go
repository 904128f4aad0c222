package status

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ApplyMachineHealthCheck makes the status of mhc as desired, as far as fieldOwner
// goes: conditions of other writers are left out of desired and stay. Then mhc has
// the resource version of the write.
func ApplyMachineHealthCheck(ctx context.Context, c client.Client, fieldOwner string, mhc *clusterv1.MachineHealthCheck,
	desired clusterv1.MachineHealthCheckStatus,
) error {
	desired.Deprecated = nil
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&desired)
	if err != nil {
		return fmt.Errorf("encoding the status of MachineHealthCheck %s: %w", client.ObjectKeyFromObject(mhc), err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"status": fields}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("MachineHealthCheck"))
	u.SetNamespace(mhc.Namespace)
	u.SetName(mhc.Name)
	if err := c.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		return fmt.Errorf("writing the status of MachineHealthCheck %s: %w", client.ObjectKeyFromObject(mhc), err)
	}
	mhc.SetResourceVersion(u.GetResourceVersion())
	return nil
}

// SameMachineHealthCheck compares what we write of a status, regardless of the order of
// conditions. Ours tells which of the stored ones we write.
func SameMachineHealthCheck(stored, desired clusterv1.MachineHealthCheckStatus, ours func(string) bool) bool {
	n := 0
	for _, c := range stored.Conditions {
		if ours(c.Type) {
			n++
		}
	}
	if n != len(desired.Conditions) {
		return false
	}
	for i := range desired.Conditions {
		c := meta.FindStatusCondition(stored.Conditions, desired.Conditions[i].Type)
		if c == nil || !sameCondition(*c, desired.Conditions[i]) {
			return false
		}
	}
	stored.Conditions, desired.Conditions = nil, nil
	stored.Deprecated, desired.Deprecated = nil, nil
	return equality.Semantic.DeepEqual(stored, desired)
}

func sameCondition(a, b metav1.Condition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message && a.ObservedGeneration == b.ObservedGeneration
}
