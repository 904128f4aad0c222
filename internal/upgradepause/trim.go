package upgradepause

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// reduce drops what nobody reads before the lookout's cache holds it. Control planes, which are of any
// kind, are the only objects that are held without a type.
func reduce(obj any) (any, error) {
	if controlPlane, ok := obj.(*unstructured.Unstructured); ok {
		trim(controlPlane)
		return controlPlane, nil
	}
	return cache.TransformStripManagedFields()(obj)
}

// trim leaves of a control plane what tells whether it upgrades.
func trim(controlPlane *unstructured.Unstructured) {
	full := controlPlane.Object
	controlPlane.Object = map[string]any{"apiVersion": full["apiVersion"], "kind": full["kind"], "metadata": full["metadata"]}
	controlPlane.SetManagedFields(nil)
	controlPlane.SetAnnotations(nil)
	keepFields(full, controlPlane.Object, "spec", "version")
	keepFields(full, controlPlane.Object, "status", "version", "versions")
}

// keepFields copies some fields of a part.
func keepFields(from, to map[string]any, part string, fields ...string) {
	before, ok := from[part].(map[string]any)
	if !ok {
		return
	}
	after := map[string]any{}
	for _, field := range fields {
		if value, ok := before[field]; ok {
			after[field] = value
		}
	}
	to[part] = after
}
