package upgradepause

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// selectorOf reads the selector of a MachineHealthCheck past the cache, which has the metadata alone. It is only read while a pause
// waits for Nodes.
func selectorOf(ctx context.Context, live client.Reader, check *metav1.PartialObjectMetadata) (labels.Selector, error) {
	key, full := client.ObjectKeyFromObject(check), &unstructured.Unstructured{}
	full.SetGroupVersionKind(check.GroupVersionKind())
	if err := live.Get(ctx, key, full); err != nil {
		return nil, fmt.Errorf("getting MachineHealthCheck %s: %w", key, err)
	}
	var has struct {
		Spec struct {
			Selector metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(full.Object, &has)
	if err != nil {
		return nil, fmt.Errorf("reading MachineHealthCheck %s: %w", key, err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&has.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("reading the selector of MachineHealthCheck %s: %w", key, err)
	}
	return selector, nil
}
