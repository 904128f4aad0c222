package ownwrites

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ApplyCondition sets a condition of obj, if obj has not changed since it was read.
func ApplyCondition(ctx context.Context, c client.Client, fieldOwner string, obj client.Object, condition metav1.Condition) error {
	fields := map[string]any{
		"type": condition.Type, "status": string(condition.Status), "reason": condition.Reason, "message": condition.Message,
		"lastTransitionTime": condition.LastTransitionTime.UTC().Format(time.RFC3339),
	}
	if condition.ObservedGeneration != 0 {
		fields["observedGeneration"] = condition.ObservedGeneration
	}
	return ApplyStatus(ctx, c, fieldOwner, obj, map[string]any{
		"metadata": map[string]any{"resourceVersion": obj.GetResourceVersion()},
		"status":   map[string]any{"conditions": []any{fields}},
	})
}
