package expect

import (
	"context"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// read returns the live status.conditions of an object of any kind, including unstructured ones.
func read(ctx context.Context, c client.Reader, obj client.Object) ([]metav1.Condition, error) {
	live := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(client.Object)
	live.GetObjectKind().SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(obj), live); err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return nil, fmt.Errorf("converting it: %w", err)
	}
	var reduced struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &reduced); err != nil {
		return nil, fmt.Errorf("converting its conditions: %w", err)
	}
	return reduced.Status.Conditions, nil
}

func name(obj client.Object) string {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		kind = reflect.TypeOf(obj).Elem().Name()
	}
	return kind + " " + client.ObjectKeyFromObject(obj).String()
}
