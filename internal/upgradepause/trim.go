package upgradepause

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
)

// reduce drops what nobody reads before the lookout's cache holds it. Control planes, which are of any
// kind, are the only objects that are held without a type.
func reduce(obj any) (any, error) {
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		trim(o)
		return o, nil
	case *clusterv1.Machine:
		return trimMachine(o), nil
	}
	return cache.TransformStripManagedFields()(obj)
}

// trimMachine leaves of a Machine what tells which version it is to have: there are many.
func trimMachine(machine *clusterv1.Machine) *clusterv1.Machine {
	small := &clusterv1.Machine{TypeMeta: machine.TypeMeta}
	small.Namespace, small.Name, small.UID = machine.Namespace, machine.Name, machine.UID
	small.ResourceVersion, small.DeletionTimestamp = machine.ResourceVersion, machine.DeletionTimestamp
	small.Labels = machine.Labels
	if value, ok := machine.Annotations[clusterv1.UpdateInProgressAnnotation]; ok {
		small.Annotations = map[string]string{clusterv1.UpdateInProgressAnnotation: value}
	}
	small.Spec.ClusterName, small.Spec.Version = machine.Spec.ClusterName, machine.Spec.Version
	return small
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
