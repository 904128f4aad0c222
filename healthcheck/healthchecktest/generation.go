package healthchecktest

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// generate sets the generation of an object as an API server would, because the fake client does not: it increases if
// anything but metadata and status has changed. A higher one in obj stays. Current is nil for a new object.
func (k *Kit[T]) generate(obj, current client.Object) error {
	if _, ok := obj.(T); !ok {
		return nil
	}
	kind, err := k.Client.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	if kind.Group == "" {
		return nil // Secrets and the like have none.
	}
	next := int64(1)
	if current != nil {
		before, err := desired(current)
		if err != nil {
			return err
		}
		after, err := desired(obj)
		if err != nil {
			return err
		}
		if next = current.GetGeneration(); !equality.Semantic.DeepEqual(before, after) {
			next++
		}
	}
	obj.SetGeneration(max(next, obj.GetGeneration()))
	return nil
}

// desired returns everything in an object except metadata and status.
func desired(obj client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("reading a %T: %w", obj, err)
	}
	wanted := map[string]any{}
	for field, value := range content {
		switch field {
		case "apiVersion", "kind", "metadata", "status":
		default:
			wanted[field] = value
		}
	}
	return wanted, nil
}
