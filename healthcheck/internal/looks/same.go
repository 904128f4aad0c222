package looks

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Same reports whether two versions of an object differ at most in what the engine writes: one annotation, and the
// conditions of some types. One event may cover several writes, so the version alone does not show whether it is an own
// one. Objects that cannot be compared are not the same.
func Same(before, after client.Object, annotation string, types []string) bool {
	a, errA := bare(before, annotation, types)
	b, errB := bare(after, annotation, types)
	return errA == nil && errB == nil && equality.Semantic.DeepEqual(a, b)
}

// bare returns the content of an object without what the engine writes, and without the metadata that changes with each
// write.
func bare(obj client.Object, annotation string, types []string) (map[string]any, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		obj = u.DeepCopy()
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	for _, field := range [][]string{{"metadata", "resourceVersion"}, {"metadata", "managedFields"}, {"metadata", "annotations", annotation}} {
		unstructured.RemoveNestedField(content, field...)
	}
	if annotations, _, _ := unstructured.NestedMap(content, "metadata", "annotations"); len(annotations) == 0 {
		unstructured.RemoveNestedField(content, "metadata", "annotations")
	}
	status, ok := content["status"].(map[string]any)
	if !ok {
		return content, nil
	}
	if conditions, ok := status["conditions"].([]any); ok {
		conditions = slices.DeleteFunc(conditions, func(c any) bool { return isOf(c, types) })
		if status["conditions"] = conditions; len(conditions) == 0 {
			delete(status, "conditions")
		}
	}
	if len(status) == 0 {
		delete(content, "status")
	}
	return content, nil
}

// isOf reports whether a condition has one of the types.
func isOf(condition any, types []string) bool {
	fields, ok := condition.(map[string]any)
	if !ok {
		return false
	}
	conditionType, _ := fields["type"].(string)
	return slices.Contains(types, conditionType)
}
