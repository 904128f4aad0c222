package upgradepause

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Trim leaves of a control plane what tells whether it upgrades, for a cache to hold.
func Trim(controlPlane *unstructured.Unstructured) {
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
